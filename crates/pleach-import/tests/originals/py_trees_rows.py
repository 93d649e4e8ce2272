"""What trees of py_trees do in six ticks: reads rows of tree, answers and changes, and adds what each tick did.
`pip install py_trees==2.6.0 && python3 rows.py py_trees 1 400 | python3 py_trees_rows.py > py_trees.txt`."""

import sys
import xml.etree.ElementTree as ElementTree

from py_trees import behaviour, common, composites, decorators

STATUS = {"S": common.Status.SUCCESS, "F": common.Status.FAILURE, "R": common.Status.RUNNING}


class Leaf(behaviour.Behaviour):
    def __init__(self, name, letters, said):
        super().__init__(name=name)
        self.letters, self.said, self.next = letters, said, 0

    def update(self):
        letter = self.letters[min(self.next, len(self.letters) - 1)]
        self.next += 1
        self.said.append(f"{self.name}:{letter}")
        return STATUS[letter]

    def terminate(self, new_status):
        if new_status == common.Status.INVALID and self.status == common.Status.RUNNING:
            self.said.append(f"{self.name}!")


def node(element, answers, said):
    name, fields = element.tag, element.attrib
    below = [node(it, answers, said) for it in element]
    if name in answers:
        return Leaf(name, answers[name], said)
    if name in ("Sequence", "Selector"):
        return getattr(composites, name)(name, memory=fields.get("memory") != "False", children=below)
    if name == "Parallel":
        return composites.Parallel(name, getattr(common.ParallelPolicy, fields["policy"])(), children=below)
    given = {key: int(value) for key, value in fields.items()}
    if name == "OneShot":
        given["policy"] = common.OneShotPolicy.ON_COMPLETION
    return getattr(decorators, name)(name=name, child=below[0], **given)


for row in sys.stdin:
    written, answers, changes = row.rstrip("\n").split("\t")
    said = []
    root = node(ElementTree.fromstring(written), dict(it.split("=") for it in answers.split(" ")), said)
    ticks = []
    for _ in range(6):
        said.clear()
        root.tick_once()
        said.extend({"SUCCESS": ["=S"], "FAILURE": ["=F"]}.get(root.status.name, []))
        ticks.append(" ".join(said))
    print("\t".join([written, answers, changes, "|".join(ticks)]))
