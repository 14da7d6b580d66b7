"""A leaf lives as py_trees has it, whatever it returns and whoever ends it."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bt_executive.tree.behaviours.leaf import Leaf

Step = Status | None  # what the next tick returns; None: a composite ends it


class Diary(Behaviour):
    """Writes down what py_trees asks of it."""

    def __init__(self, steps: list[Step]) -> None:
        super().__init__('diary')
        self.entries: list[tuple[Any, ...]] = []
        self.steps = [step for step in steps if step is not None]

    def initialise(self) -> None:
        self.entries.append(('initialise', self.status))

    def update(self) -> Status:
        self.entries.append(('update', self.status))
        return self.steps.pop(0)

    def terminate(self, new_status: Status) -> None:
        self.entries.append(('terminate', self.status, new_status))


class LeafDiary(Diary):
    """The same, ticked and stopped as our leaves are."""

    tick = Leaf.tick
    stop = Leaf.stop


@given(st.lists(st.sampled_from([*Status, None]), max_size=12))
def test_a_leaf_is_ticked_and_stopped_as_py_trees_does_it(steps: list[Step]) -> None:
    theirs, ours = Diary(steps), LeafDiary(steps)
    for each in (theirs, ours):
        for step in steps:
            if step is None:
                each.stop(Status.INVALID)
            else:
                each.tick_once()
            each.entries.append(('is', each.status))
    assert ours.entries == theirs.entries
