// The C++ wrapper: owners, lambdas, exceptions.
#include "check.h"

#include <filesystem>
#include <fstream>
#include <random>

#include "pleach.hpp"

using pleach::param;
using pleach::status;

static const char *SHEEP = R"(Tree(version: 1, name: "sheep",
  blackboard: { "food": Float(0), "at": Vec2(1, 2), "mood": Symbol("calm", ["calm", "wild"]) },
  root: Selector([
    Sequence(abort: LowerPriority, children: [Hungry(food: "food", below: 0.5), Eat(food: "food", bite: 0.25)]),
    Sulk,
  ])))";

static const char *GUARD = R"(Tree(version: 1, name: "guard", blackboard: { "n": Int(0) },
  group: { "alarm": Bool(false) }, global: { "hour": Float(12) }, events: { "ho": () },
  root: Selector([
    Sequence(name: "fight", abort: Both, children: [Check("group.alarm"), Step(path: [1, 2, 3])]),
    Sequence([Log("calm"), Wait(9)]),
  ])))";

/// Registers what `GUARD` calls. Its agents send, emit and ask what they can ask.
static void add_step(pleach::registry &registry, int &steps) {
    registry.event("ho");
    registry.action_each("Step", {param("path", PLEACH_PARAM_FLOATS)}, [&](pleach::batch &of, std::size_t i) {
        CHECK((of.floats(0) == std::vector<float>{1, 2, 3}) && of.node() > 0);
        of.emit(i, "ho");
        if (of.group_of(i).id != 0) {
            of.send(i, of.group_of(i), "ho");
        }
        steps++;
        return status::running;
    });
}

static void brains() {
    int steps = 0, logged = 0, emitted = 0;
    std::string lines;
    pleach::registry registry;
    add_step(registry, steps);
    auto tree = pleach::tree::load(registry, "guard.ron", GUARD);
    CHECK(tree.name() == "guard" && tree.size() == 7 && tree.find("fight") == 1);
    auto board = pleach::board::of_group(tree);
    auto hours = pleach::board::of_globals(tree);
    pleach::brain brain(tree, 7);
    pleach::hooks hooks;
    hooks.emit = [&](pleach::agent_id, pleach::symbol event, const pleach_value &) { emitted += event == "ho"; };
    hooks.log = [&](pleach::agent_id, std::uint32_t, std::string_view text) { logged += text == "calm"; };
    brain.hook(hooks);
    brain.trace([&](std::string_view it) { lines += it; });
    brain.set_label("guard 3");
    brain.set_entity(pleach::entity(42));
    brain.share(board);
    brain.share(hours);
    brain.record();
    brain.record_file("guard.ron", GUARD);
    // Memory lent to the library stays in place when the brain moves.
    pleach::brain guard = std::move(brain);
    CHECK(guard.tick(0.5f) == status::running && logged == 1);
    CHECK(guard.current() == std::vector<std::uint32_t>{tree.find("Wait")});
    CHECK(!guard.why_not("fight").empty());
    guard.snapshot();
    std::string saved = guard.save(), kept = board.save();
    guard.send("ho");
    board.set("alarm", true);
    CHECK(guard.tick(0.5f) == status::running && steps == 1 && emitted == 1);
    CHECK(lines.find("guard 3") != std::string::npos && lines.find("Step") != std::string::npos);
    CHECK(guard.agent().id != 0 && guard.entity() == pleach::entity(42) && guard.time() == 1);
    CHECK(guard.outcome() == status::running && guard.phase() == pleach::phase::active);
    board.restore(tree, kept);
    CHECK(!board.get<bool>("alarm") && hours.get<float>("hour") == 12);
    try {
        board.get<float>("alarm");
        CHECK(false);
    } catch (const pleach::error &it) {
        CHECK(it.result() == PLEACH_ERROR_ARGUMENT && it.problems().size() == 1);
        CHECK(std::string(it.what()).find("`alarm`") != std::string::npos);
    }
    guard.rollback();
    guard.restore(saved);
    guard.pause();
    CHECK(guard.phase() == pleach::phase::paused);
    guard.unpause();
    guard.restart();
    guard.disable();
    CHECK(guard.phase() == pleach::phase::off);
    guard.enable();
    auto shorter = pleach::tree::load(registry, "guard.ron", R"(Tree(version: 1, name: "guard",
        group: { "alarm": Bool(false), "plan": Int(4) }, root: Log("so")))");
    CHECK(guard.replace(shorter).find("guard: 1 agent") == 0);
    board.follow(shorter);
    CHECK(board.get<std::int64_t>("plan") == 4);
    guard.set_stops(true);
    CHECK(guard.tick(0.1f) == status::success && guard.phase() == pleach::phase::off);
    CHECK(guard.recorded().size() > 100);
    guard.end_record();
    try {
        guard.save_record("never.plr");
        CHECK(false);
    } catch (const pleach::error &it) {
        CHECK(it.result() == PLEACH_ERROR_REFUSED);
    }
    guard.trace(nullptr);
    guard.hook({});
}

static void crowds() {
    int steps = 0, logged = 0, emitted = 0;
    std::string lines;
    pleach::registry registry;
    add_step(registry, steps);
    auto tree = pleach::tree::load(registry, "guard.ron", GUARD);
    auto alarm = tree.find_key<bool>("group.alarm");
    pleach::forest forest(7);
    pleach::hooks hooks;
    hooks.emit = [&](pleach::agent_id, pleach::symbol event, const pleach_value &) { emitted += event == "ho"; };
    hooks.log = [&](pleach::agent_id, std::uint32_t, std::string_view) { logged++; };
    forest.hook(std::move(hooks));
    auto id = forest.add(tree);
    auto group = forest.new_group();
    auto one = forest.spawn(id, pleach::entity(1), group), two = forest.spawn(id, pleach::entity(2), group);
    CHECK(forest.size() == 2 && forest.members(group).size() == 2 && forest.tree_of(one).id == id.id);
    forest.set_entity(two, pleach::entity(5));
    CHECK(forest.entity_of(two) == pleach::entity(5));
    forest.set_label(one, "the first");
    forest.set_rate(two, 1);
    forest.set_stops(two, false);
    forest.trace([&](std::string_view it) { lines += it; }, true, {one});
    forest.record(5, 1 << 20, 1);
    forest.record_file("guard.ron", GUARD);
    forest.tick(0.5f);
    CHECK(logged == 2 && forest.time() == 0.5 && lines.find("the first") != std::string::npos);
    CHECK(forest.current(one) == std::vector<std::uint32_t>{tree.find("Wait")});
    forest.set(group, alarm, true);
    forest.send(group, "ho");
    CHECK(forest.get(group, alarm) && forest.get<bool>(group, "alarm"));
    forest.set(pleach::group_id{0}, "hour", 6.0f);
    CHECK(forest.get<float>(pleach::group_id{0}, "hour") == 6);
    forest.tick(0.5f);
    CHECK(steps == 2 && emitted == 2);
    forest.pause(two);
    CHECK(forest.phase(two) == pleach::phase::paused);
    forest.unpause(two);
    forest.restart(two);
    forest.disable(two);
    CHECK(forest.phase(two) == pleach::phase::off);
    forest.enable(two);
    CHECK(forest.recorded().size() > 100);
    forest.end_record();
    forest.trace(nullptr);
    forest.remove(group);
    forest.remove(id);
    CHECK(forest.size() == 0);
}

/// What leaves ask of the runtime, a manifest and a library.
static void files() {
    int steps = 0, ends = 0;
    pleach::registry first, registry;
    add_step(first, steps);
    pleach::options more;
    more.end = [&](pleach::batch &, pleach::end) { ends++; };
    pleach::tree_id id{0};
    registry.add_manifest("game.leaves", first.manifest(), {{"Step", [&](pleach::batch &of) {
        steps++;
        for (std::size_t i = 0; i < of.size(); i++) {
            if (steps == 1) {
                of.spawn(i, id);
                of.restart(i);
            } else if (steps == 2) {
                of.stop(i);
            } else {
                of.despawn(of[i]);
            }
        }
    }, more}});
    registry.allow_any_event();
    pleach::library library;
    library.put("guard.ron", R"(Tree(version: 1, name: "guard", root: Step(path: [1])))");
    library.put("nap.ron", R"(Tree(version: 1, name: "nap", blackboard: { "unused": Int(0) }, root: Wait(9)))");
    pleach::forest forest(1);
    id = library.add(registry, "nap.ron", forest);
    library.put("slots.ron", R"(Tree(version: 1, root: Slot(name: "rest", trees: ["nap.ron"])))");
    pleach::brain slots(library.load(registry, "slots.ron"), 1);
    slots.fill("rest", "nap");
    auto tree = library.load(registry, "guard.ron");
    auto agent = forest.spawn(forest.add(tree));
    forest.record();
    library.record(forest);
    forest.tick(0.1f);
    CHECK(forest.size() == 2 && ends == 1);
    forest.tick(0.1f);
    CHECK(forest.phase(agent) == pleach::phase::off && ends == 2);
    forest.enable(agent);
    forest.tick(0.1f);
    CHECK(forest.size() == 1);
    CHECK(!library.warnings(registry).empty());
    CHECK(library.reload(registry, forest).empty());
    library.put("nap.ron", R"(Tree(version: 1, name: "nap", root: Wait(1)))");
    CHECK(library.reload(registry, forest).find("nap") != std::string::npos);
    int taken = 0;
    auto take = [&](const std::string &name, pleach::tree it) { taken += name == "guard.ron" && it.size() == 2; };
    library.put("guard.ron", R"(Tree(version: 1, name: "guard", root: Sequence([Step(path: [1])])))");
    library.poll(registry, take);
    CHECK(taken == 1);
    library.put("guard.ron", R"(Tree(version: 1,
root: Wlak))");
    try {
        library.poll(registry, take);
        CHECK(false);
    } catch (const pleach::error &it) {
        CHECK(it.result() == PLEACH_ERROR_REPORT && it.line() == 2 && taken == 1);
    }
}

/// What fills slots runs in them.
static void slots() {
    pleach::registry registry;
    pleach::library library;
    library.put("sit.ron", R"(Tree(version: 1, root: Idle(name: "seated")))");
    library.put("lie.ron", R"(Tree(version: 1, root: Idle(name: "lying")))");
    library.put("t.ron", R"(Tree(version: 1, root: Slot(name: "rest", trees: ["sit.ron", "lie.ron"], initial: "sit")))");
    auto tree = library.load(registry, "t.ron");
    std::vector<std::uint32_t> seated{tree.find("seated")}, lying{tree.find("lying")};
    pleach::forest forest(7);
    auto id = forest.add(tree);
    auto one = forest.spawn(id), two = forest.spawn(id);
    forest.tick(0.1f);
    CHECK(forest.current(one) == seated && forest.current(two) == seated);
    forest.fill(one, "rest", "lie");
    forest.tick(0.1f);
    CHECK(forest.current(one) == lying && forest.current(two) == seated);
    forest.fill_all(id, "rest", "lie");
    forest.tick(0.1f);
    CHECK(forest.current(one) == lying && forest.current(two) == lying);
    auto group = forest.new_group();
    forest.join(two, group);
    forest.fill(group, "rest", "sit");
    forest.tick(0.1f);
    CHECK(forest.current(one) == lying && forest.current(two) == seated);
    pleach::brain brain(tree, 7);
    brain.tick(0.1f);
    CHECK(brain.current() == seated);
    brain.fill("rest", "lie");
    brain.tick(0.1f);
    CHECK(brain.current() == lying);
}

/// A file of a folder that changes while its tree runs.
static void on_disk() {
    auto folder = std::filesystem::temp_directory_path() / ("pleach-wrapper-" + std::to_string(std::random_device()()));
    std::filesystem::create_directories(folder);
    auto write = [&](const char *text) { std::ofstream(folder / "guard.ron") << text; };
    write(R"(Tree(version: 1, name: "guard", root: Idle(name: "doze")))");
    pleach::registry registry;
    {
        pleach::library library(folder.string());
        pleach::forest forest(7);
        auto guard = forest.spawn(library.add(registry, "guard.ron", forest));
        pleach::brain brain(library.load(registry, "guard.ron"), 7);
        forest.tick(0.1f);
        CHECK(forest.explain(guard).find("doze") != std::string::npos && library.reload(registry, forest).empty());
        write(R"(Tree(version: 1, name: "guard", root: Idle(name: "stretch")))");
        CHECK(library.reload(registry, forest).find("guard: ") != std::string::npos);
        forest.tick(0.1f);
        CHECK(forest.explain(guard).find("stretch") != std::string::npos);
        library.poll(registry, [&](const std::string &, pleach::tree it) { brain.replace(it); });
        brain.tick(0.1f);
        CHECK(brain.explain().find("stretch") != std::string::npos);
        write("Tree(version: 1,\n root: Stop)");
        try {
            library.reload(registry, forest);
            CHECK(false);
        } catch (const pleach::error &it) {
            CHECK(it.result() == PLEACH_ERROR_REPORT && it.line() == 2 && it.column() == 8);
            CHECK(it.file() == (folder / "guard.ron").string());
        }
        forest.tick(0.1f);
        CHECK(forest.explain(guard).find("stretch") != std::string::npos);
    }
    std::filesystem::remove_all(folder);
}

int main() {
    CHECK(pleach::fits() && *pleach::version() != 0);
    CHECK(std::string(pleach::name_of(PLEACH_OK)) == "PLEACH_OK");
    brains();
    crowds();
    files();
    slots();
    on_disk();
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
        CHECK(warnings > 0); // Unused keys.
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
    // A leaf that throws: the frame completes, and the error names the leaf.
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
    // An assignment frees the old object with its leaves, and moves the new ones.
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
