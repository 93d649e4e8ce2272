// The C++ wrapper: owners, lambdas, exceptions.
#include "check.h"

#include "pleach.hpp"

using pleach::param;
using pleach::status;

static const char *SHEEP = R"(Tree(version: 1, name: "sheep",
  blackboard: { "food": Float(0), "at": Vec2(1, 2), "mood": Symbol("calm", ["calm", "wild"]) },
  root: Selector([
    Sequence(abort: LowerPriority, children: [Hungry(food: "food", below: 0.5), Eat(food: "food", bite: 0.25)]),
    Sulk,
  ])))";

int main() {
    int starts = 0, ends = 0, calls = 0;
    pleach::forest forest(7);
    pleach::agent_id first{0};
    pleach::key<float> food;
    {
        pleach::registry registry;
        pleach::options more;
        more.doc = "Eats.";
        more.start = [&](pleach::batch &) { starts++; };
        more.end = [&](pleach::batch &, pleach::end how) { ends += how == pleach::end::success; };
        registry.action(
            "Eat", {param::key<float>("food"), param("bite", PLEACH_PARAM_EXPR)},
            [&](pleach::batch &of) {
                calls++;
                auto key = of.key_of<float>(0);
                std::vector<float> values(of.size());
                of.read(key, values.data());
                for (std::size_t i = 0; i < of.size(); i++) {
                    values[i] += of.expr(1, i);
                    of.answer(i, values[i] >= 1 ? status::success : status::running);
                }
                of.write(key, values.data());
            },
            more);
        registry.condition_each("Hungry", {param::key<float>("food"), param("below", PLEACH_PARAM_FLOAT, "1.0")},
            [](pleach::batch &of, std::size_t i) { return of.get(i, of.key_of<float>(0)) < of.number(1); });
        registry.action_each("Sulk", {}, [](pleach::batch &of, std::size_t i) -> status {
            if (of[i].id % 2 == 0) {
                throw std::runtime_error("no reason to sulk");
            }
            return status::running;
        });
        CHECK(registry.manifest().find("Hungry") != std::string::npos);
        try {
            pleach::tree::load(registry, "bad.ron", "Tree(version: 1,\n root: Eat(food: \"fod\", bite: 1))");
            CHECK(false);
        } catch (const pleach::error &it) {
            CHECK(it.result() == PLEACH_ERROR_REPORT && it.line() == 2 && it.column() > 1 && it.file() == "bad.ron");
            CHECK(std::string(it.what()).find("bad.ron:2:") == 0 && it.problems().size() == 1);
        }
        int warnings = 0;
        auto tree = pleach::tree::load(registry, "sheep.ron", SHEEP, [&](const pleach::problem &it) {
            CHECK(it.line > 0);
            warnings++;
        });
        CHECK(warnings > 0); // Keys that nobody uses.
        food = tree.find_key<float>("food");
        auto at = tree.find_key<pleach::vec2>("at");
        auto mood = tree.find_key<pleach::symbol>("mood");
        auto sheep = forest.add(tree);
        for (int i = 0; i < 40; i++) {
            auto id = forest.spawn(sheep, pleach::entity(i + 1));
            first = i == 0 ? id : first;
        }
        CHECK((forest.get(first, at) == pleach::vec2{1, 2}));
        forest.set(first, mood, pleach::symbol("wild"));
        CHECK(forest.get(first, mood) == pleach::symbol("wild"));
        CHECK(forest.set(first, mood, pleach::symbol("angry"), std::nothrow) == PLEACH_ERROR_REFUSED);
        CHECK(forest.agents(sheep).size() == 40);
        pleach::brain brain(tree, 3);
        CHECK(brain.tick(0.1f) == status::running && brain.get(food) == 0.25f);
        // The registry and the tree go here: the forest keeps what it calls.
    }
    starts = ends = calls = 0;
    CHECK(forest.tick(0.1f).ticked == 40);
    CHECK(starts == 40 && calls > 0 && forest.get(first, food) == 0.25f);
    auto before = forest.snapshot();
    std::string saved = forest.save();
    for (int i = 0; i < 3; i++) {
        forest.tick(0.1f);
    }
    CHECK(ends == 40 && forest.get(first, food) == 1.0f);
    CHECK(!forest.explain(first).empty());
    // A leaf that throws: the frame is over, and says which.
    try {
        forest.tick(0.1f);
        CHECK(false);
    } catch (const pleach::error &it) {
        CHECK(it.result() == PLEACH_ERROR_LEAF && std::string(it.what()).find("no reason to sulk") != std::string::npos);
        CHECK(it.problems()[0].code == "Sulk" && it.problems()[0].agent.id != 0);
    }
    CHECK(forest.tick(0.1f, std::nothrow) == PLEACH_ERROR_LEAF);
    forest.rollback(before);
    CHECK(forest.get(first, food) == 0.25f);
    pleach::forest moved = std::move(forest);
    CHECK(moved.tick(0.1f).ticked == 40 && forest.tick(0.1f, std::nothrow) == PLEACH_ERROR_HANDLE);
    CHECK(saved.size() > 100);
    // An event that is a parameter.
    {
        pleach::registry other;
        int heard = 0;
        other.action_each("Call", {param("event", PLEACH_PARAM_EVENT)}, [&](pleach::batch &of, std::size_t i) {
            heard += of.hears(i, of.event(0)) && of.hears(i, "ho");
            of.send(i, of[i], of.event(0));
            return status::running;
        });
        pleach::forest calls(1);
        const char *text = "Tree(version: 1, events: { \"ho\": () }, root: Call(\"ho\"))";
        calls.spawn(calls.add(pleach::tree::load(other, "call.ron", text)));
        calls.tick(0.1f);
        calls.tick(0.1f);
        CHECK(heard == 1);
    }
    // An assignment frees what was there, with its leaves, and takes the other ones along.
    {
        pleach::registry other;
        other.action_each("Nap", {}, [](pleach::batch &, std::size_t) -> status { throw 7; });
        pleach::forest naps(1);
        naps.spawn(naps.add(pleach::tree::load(other, "nap.ron", "Tree(version: 1, root: Nap)")));
        auto old = moved.get();
        moved = std::move(naps);
        CHECK(pleach_tick(old, 0.1f, nullptr) == PLEACH_ERROR_HANDLE);
    }
    CHECK(moved.tick(0.1f, std::nothrow) == PLEACH_ERROR_LEAF);
    CHECK(std::string(pleach_last_message()).find("no std::exception") != std::string::npos);
    // The text stays where it is until another call fails.
    CHECK(pleach_last_message() == pleach_last_message());
    puts("wrapper: fine");
    return 0;
}
