"""Our behaviours are ticked and stopped as py_trees' own, whatever their children return."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import py_trees
from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.decorators import Decorator, FailureIsSuccess
import pytest

from bt_executive.tree.behaviours.base_behaviours import (
    Ticked,
    TickedDecorator,
    TickedSelector,
    TickedSequence,
)
from bt_executive.tree.subtrees_on_demand import Branch, Otherwise

Shape = tuple[str, list[Any]]  # a kind with its children; of a leaf, what it returns in turn
KINDS = ('sequence', 'memory', 'selector', 'decorator', 'branch', 'otherwise')
outcomes = st.lists(st.sampled_from(Status), min_size=1, max_size=6)
leaves = st.tuples(st.just('leaf'), outcomes)
shapes = st.recursive(
    leaves,
    lambda inner: st.tuples(st.sampled_from(KINDS), st.lists(inner, min_size=2, max_size=3)),
    max_leaves=9,
)


class Diary(Behaviour):
    """Writes down what is asked of it; its updates return one status after the other."""

    def __init__(self, name: str, outcomes: Sequence[Status]) -> None:
        super().__init__(name)
        self.entries: list[tuple[Any, ...]] = []
        self._outcomes, self._updates = outcomes, 0

    def initialise(self) -> None:
        self.entries.append(('initialise', self.status))

    def update(self) -> Status:
        self.entries.append(('update', self.status))
        self._updates += 1
        return self._outcomes[self._updates % len(self._outcomes)]

    def terminate(self, new_status: Status) -> None:
        self.entries.append(('terminate', self.status, new_status))


class OurDiary(Ticked, Diary):
    """The same, as a leaf of ours."""


class OurForce(TickedDecorator, FailureIsSuccess):
    """The same decorator, ticked in our way."""


def made(shape: Shape, ours: bool, name: str = '0') -> Behaviour:
    """The tree of a shape, of our classes or of py_trees' own."""
    kind, given_ = shape
    if kind == 'leaf':
        return (OurDiary if ours else Diary)(name, given_)
    children = [made(each, ours, f'{name}{number}') for number, each in enumerate(given_)]
    if kind == 'decorator':
        return (OurForce if ours else FailureIsSuccess)(name, children[0])
    if ours and kind == 'branch':
        return Branch(name, *children)
    if ours and kind == 'otherwise':
        return Otherwise(name, children[0], children[1])
    if kind == 'otherwise':
        children = children[:2]
    if kind in ('selector', 'otherwise'):
        selector = TickedSelector if ours else py_trees.composites.Selector
        return selector(name, memory=False, children=children)
    sequence = TickedSequence if ours else py_trees.composites.Sequence
    return sequence(name, memory=kind == 'memory', children=children)


def position(node: Behaviour) -> tuple[Any, ...]:
    """Where the node stands, as a viewer sees it."""
    current = getattr(node, 'current_child', None)
    tip = node.tip()
    return node.name, node.status, current and current.name, tip and tip.name


def story(root: Behaviour, stops: Sequence[bool]) -> list[Any]:
    """What happens in so many ticks, or is interrupted from above."""
    told: list[Any] = []
    seen: dict[str, Behaviour] = {}
    for stop in stops:
        if stop:
            root.stop(Status.INVALID)
            told.append(root.status)
        else:
            told.append([(node.name, node.status) for node in list(root.tick())])
        seen |= {node.name: node for node in root.iterate()}
        told.append([position(node) for node in root.iterate() if node.status != Status.INVALID])
    diaries = {node.name: node.entries for node in seen.values() if isinstance(node, Diary)}
    return [told, {name: entries for name, entries in sorted(diaries.items()) if entries}]


@given(shapes, st.lists(st.booleans(), max_size=8))
@pytest.mark.slow
def test_all_is_ticked_and_stopped_as_py_trees_does_it(shape: Shape, stops: list[bool]) -> None:
    assert story(made(shape, ours=True), stops) == story(made(shape, ours=False), stops)


@given(shapes, outcomes)
@pytest.mark.slow
def test_behaviours_of_py_trees_may_stand_among_ours(shape: Shape, statuses: list[Status]) -> None:
    ticks = [False] * 4
    mixed = TickedSequence('all', True, [made(shape, ours=False), OurDiary('last', statuses)])
    theirs = py_trees.composites.Sequence(
        'all', True, [made(shape, ours=False), Diary('last', statuses)]
    )
    assert story(mixed, ticks) == story(theirs, ticks)
    assert isinstance(OurForce('one', Diary('two', statuses)), Decorator)
