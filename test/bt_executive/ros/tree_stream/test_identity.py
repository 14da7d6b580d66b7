"""Ids that are the same in every process."""

from __future__ import annotations

import py_trees
from py_trees.behaviour import Behaviour
from py_trees.behaviours import Dummy
from py_trees.composites import Sequence

from bt_executive.ros.tree_stream.tree_host_choice import give_stable_ids


def tree() -> Behaviour:
    twins = [Sequence('twin', False, [Dummy('a'), Dummy('a')]) for _ in range(2)]
    guarded = py_trees.decorators.Inverter('twin', Sequence('twin', False, [Dummy('a')]))
    return Sequence('root', False, [*twins, guarded])


def ids(root: Behaviour) -> list[str]:
    give_stable_ids(root)
    return [str(node.id) for node in root.iterate()]


def test_ids_are_stable_and_tell_twins_apart() -> None:
    first, second = ids(tree()), ids(tree())
    assert first == second
    assert len(set(first)) == len(first)


def test_they_are_uuids_of_version_4() -> None:
    root = tree()
    give_stable_ids(root)
    assert {node.id.version for node in root.iterate()} == {4}


def test_a_new_child_at_the_end_changes_no_other_id() -> None:
    root = tree()
    before = ids(root)
    root.add_child(Dummy('new'))  # type: ignore[attr-defined]
    assert set(before) < set(ids(root))
