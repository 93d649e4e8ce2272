"""Random trees of a system with the answers of their leaves and the changes of their keys: a row each, without what
happens in each tick. The program of the system adds that. `python3 rows.py btcpp|behavior3|py_trees SEED COUNT`.

Trees are written as XML. Leaves have a number each: `A1` is an action, `C2` a condition. `A1=RFS`: running, failure, and
success from then on. `2:go=true`: the key is set before tick 2."""

import random
import sys

# Of each system its composites, its decorators, and what has a fixed number of children: a name, and its fields.
SYSTEMS = {
    "btcpp": (
        [
            ("Sequence", ""), ("Fallback", ""), ("ReactiveSequence", ""), ("ReactiveFallback", ""),
            ("Parallel", " success_count='{}' failure_count='{}'"), ("ParallelAll", " max_failures='{}'"),
        ],
        [
            ("Inverter", ""), ("ForceSuccess", ""), ("ForceFailure", ""), ("KeepRunningUntilFailure", ""),
            ("RunOnce", ""), ("Repeat", " num_cycles='2'"), ("RetryUntilSuccessful", " num_attempts='2'"),
        ],
        [("IfThenElse", 2), ("IfThenElse", 3), ("WhileDoElse", 3), ("TryCatch", 2)],
    ),
    "behavior3": (
        [("Sequence", ""), ("Priority", ""), ("MemSequence", ""), ("MemPriority", "")],
        [
            ("Inverter", ""), ("Repeater", " maxLoop='2'"), ("RepeatUntilFailure", " maxLoop='2'"),
            ("RepeatUntilSuccess", " maxLoop='2'"), ("Limiter", " maxLoop='2'"),
        ],
        [],
    ),
    "py_trees": (
        [
            ("Sequence", ""), ("Selector", ""), ("Sequence", " memory='False'"), ("Selector", " memory='False'"),
            ("Parallel", " policy='SuccessOnAll'"), ("Parallel", " policy='SuccessOnOne'"),
        ],
        [
            ("Inverter", ""), ("FailureIsSuccess", ""), ("SuccessIsFailure", ""), ("OneShot", ""),
            ("Repeat", " num_success='2'"), ("Retry", " num_failures='2'"),
        ],
        [],
    ),
}  # fmt: skip

system, seed, rows = sys.argv[1:4]
dice = random.Random(int(seed))
composites, decorators, others = SYSTEMS[system]


def tree(depth, leaves):
    kind = dice.choice(["leaf"] * (1 + depth) + ["composite"] * 4 + ["decorator"] * 2 + ["other"] * bool(others))
    given = ""
    if system == "btcpp" and dice.random() < 0.15:
        condition = dice.choice(["_skipIf", "_while", "_failureIf", "_successIf"])
        given = f" {condition}='{dice.choice(['go', 'far', '!go'])}'"
    if kind == "leaf" or depth > 3 or len(leaves) > 5:
        leaves.append(f"{dice.choice('AAC')}{len(leaves) + 1}")
        return f"<{leaves[-1]}{given}/>"
    count = dice.randint(1, 3)
    if kind == "composite":
        name, fields = dice.choice(composites)
        fields = fields.format(dice.randint(1, count), dice.randint(1, count))
    elif kind == "decorator":
        (name, fields), count = dice.choice(decorators), 1
    else:
        (name, count), fields = dice.choice(others), ""
    below = "".join(tree(depth + 1, leaves) for _ in range(count))
    return f"<{name}{fields}{given}>{below}</{name}>"


for _ in range(int(rows)):
    leaves = []
    written = tree(0, leaves)
    if system == "btcpp":
        # Elsewhere no tree of its own is skipped.
        around = [("Sequence", "AlwaysSuccess"), ("Fallback", "AlwaysFailure")]
        name, last = dice.choice(around)
        written = f"<{name}>{written}<{last}/></{name}>"
    answers = []
    for leaf in leaves:
        letters = "SF" if leaf[0] == "C" else "SFR"
        answers.append(f"{leaf}={''.join(dice.choice(letters) for _ in range(dice.randint(1, 6)))}")
    keys = [key for key in ["go", "far"] if f"{key}'" in written]
    ticks = [(tick, key) for tick in range(1, 7) for key in keys if dice.random() < 0.3]
    changes = [f"{tick}:{key}={dice.choice(['true', 'false'])}" for tick, key in ticks]
    print("\t".join([written, " ".join(answers), " ".join(changes)]))
