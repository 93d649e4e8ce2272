// A pack of wolves that hunts a deer: a small game in C++17. The pack has a common plan, a key of its squad; the leaves are
// lambdas. With a number it runs for so many frames.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <pleach.hpp>

static const char *TREE = R"(Tree(
    version: 1, name: "wolf",
    blackboard: { "deer": Vec2(0, 0), "distance": Float(1000.0) },
    group: { "plan": Symbol("roam", ["roam", "hunt"]) },
    events: { "caught": () },
    root: Selector([
        Sequence(name: "hunt", abort: Both, children: [
            Check("group.plan == hunt"),
            Chase(to: "deer", speed: "30 + 300 / distance"),
            Emit(event: "caught"),
        ]),
        Sequence(name: "roam", children: [Wait(seconds: 0.5, jitter: 0.2), Timeout(1.0, Prowl)]),
    ]),
))";

struct place {
    float x, y;
};

struct forest_floor {
    std::vector<place> wolves;
    place deer{60, 5};
    int steps = 0, caught = 0;
};

static float distance(place a, place b) { return std::hypot(a.x - b.x, a.y - b.y); }

int main(int count, char **arguments) try {
    const int frames = count > 1 ? std::atoi(arguments[1]) : 300;
    forest_floor world;

    pleach::registry registry;
    registry.action("Chase", {pleach::param::key<pleach::vec2>("to"), pleach::param("speed", PLEACH_PARAM_EXPR)},
        [&world](pleach::batch &wolves) {
            std::vector<pleach::vec2> goals(wolves.size());
            std::vector<pleach::entity> who(wolves.size());
            wolves.read(wolves.key_of<pleach::vec2>(0), goals.data());
            wolves.entities(who.data());
            for (std::size_t i = 0; i < wolves.size(); i++) {
                place &me = world.wolves[static_cast<std::size_t>(who[i]) - 1];
                const place goal{goals[i][0], goals[i][1]};
                const float left = distance(me, goal), step = wolves.expr(1, i) * wolves.dt(i);
                if (left <= step) {
                    me = goal;
                    wolves.answer(i, pleach::status::success);
                } else {
                    me = {me.x + (goal.x - me.x) / left * step, me.y + (goal.y - me.y) / left * step};
                }
            }
        });
    registry.action_each("Prowl", {}, [&world](pleach::batch &wolves, std::size_t i) {
        place &me = world.wolves[static_cast<std::size_t>(wolves.entity_of(i)) - 1];
        me.x += static_cast<float>(wolves.random(i) - 0.5);
        me.y += static_cast<float>(wolves.random(i) - 0.5);
        world.steps++;
        return pleach::status::running;
    });

    const auto tree = pleach::tree::load(registry, "wolf.ron", TREE);
    const auto deer = tree.find_key<pleach::vec2>("deer");
    const auto far = tree.find_key<float>("distance");
    pleach::forest forest(7);
    const auto kind = forest.add(tree);
    const auto pack = forest.new_group();
    std::vector<pleach::agent_id> wolves;
    for (int i = 0; i < 12; i++) {
        world.wolves.push_back({static_cast<float>(i), static_cast<float>(i % 3)});
        wolves.push_back(forest.spawn(kind, pleach::entity(i + 1), pack));
    }
    pleach::check(pleach_forest_hooks(
        forest.get(),
        [](void *user, pleach_agent, std::uint64_t, const pleach_value *) { static_cast<forest_floor *>(user)->caught++; },
        nullptr, &world, 0));

    for (int frame = 0; frame < frames; frame++) {
        world.deer.x += 0.05f;
        for (std::size_t i = 0; i < wolves.size(); i++) {
            forest.set(wolves[i], deer, pleach::vec2{world.deer.x, world.deer.y});
            forest.set(wolves[i], far, distance(world.wolves[i], world.deer));
        }
        if (frame == frames / 3) {
            pleach::check(pleach_group_set(forest.get(), pack, "plan", pleach_word("hunt")));
        }
        forest.tick(1.0f / 60);
    }
    std::printf("%d frames: %d steps on the prowl, the deer was caught %d times\n", frames, world.steps, world.caught);
    std::printf("%s\n", forest.explain(wolves[0]).c_str());
    return frames >= 300 && (world.steps == 0 || world.caught == 0);
} catch (const pleach::error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
