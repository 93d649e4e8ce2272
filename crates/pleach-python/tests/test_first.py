import numpy as np

import pleach


def test_hello():
    registry = pleach.Registry()
    said = []

    @registry.action
    def greet(context: pleach.Context, text: str) -> pleach.Status:
        said.append((context.agent, text))
        return pleach.Status.SUCCESS

    @registry.action(batch=True)
    def walk(batch: pleach.Batch, at: pleach.Key[float], speed: float = 2.0):
        batch[at] += speed * batch.dt
        return pleach.until(batch[at] >= 1.0)

    tree = registry.load_str('Tree(version: 1, blackboard: {"x": Float(0)}, root: Sequence([Greet(text: "hello"), Walk(at: "x")]))')
    forest = pleach.Forest(seed=7)
    crowd = forest.add(tree)
    crowd.spawn_many(100)
    report = forest.tick(0.25)
    assert report.ticked == 100 and len(said) == 100
    assert np.allclose(crowd["x"], 0.5)
