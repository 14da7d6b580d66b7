"""What an executor waits for, put together once and not before each wait."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.context import Context
from rclpy.event_handler import EventHandler
from rclpy.guard_condition import GuardCondition
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy
from rclpy.node import Node
from rclpy.waitable import NumberOfEntities

# In the order in which rclpy serves what is ready.
KINDS = ('timer', 'subscription', 'guard_condition', 'client', 'service')
Entity = Any  # of rclpy: a timer, subscription, guard condition, client, service or waitable
Entities = tuple[list[Entity], ...]  # of one node: one list for each of `KINDS`, and waitables
Groups = list[tuple[CallbackGroup, Entity]]
Ready = list[tuple[str, Entity, Node]]  # kind ('waitable' or of `KINDS`), entity, its node


def entities_of(node: Node) -> Entities:
    """Everything of a node that an executor serves."""
    kinds = (node.timers, node.subscriptions, node.guards, node.clients, node.services)
    return tuple(map(list, (*kinds, node.waitables)))


def groups_of(nodes: Sequence[tuple[Node, Entities]]) -> Groups:
    """Each callback group with one of its entities, which shows whether the group is free."""
    entities = [each for _, kinds in nodes for kind in kinds for each in kind]
    by_group = {id(each.callback_group): each for each in entities}
    return [(each.callback_group, each) for each in by_group.values()]


class PersistentWaitSet:
    """A wait set of rcl for the entities of some nodes.

    Args:
        nodes: With their entities.
        guards: Wake the waiting thread, and have no callback.
        context: The context of all entities.
        busy: Ids of callback groups whose entities are not waited for.
        notices: Waits for the middleware's notices about foreign endpoints, and for nothing else;
            otherwise for everything but these.
    """

    def __init__(
        self,
        nodes: Sequence[tuple[Node, Entities]],
        guards: Sequence[GuardCondition],
        context: Context,
        busy: Collection[int] = (),
        notices: bool = False,
    ) -> None:
        def wanted(entity: Entity) -> bool:
            is_notice = isinstance(entity, EventHandler)
            return is_notice is notices and id(entity.callback_group) not in busy

        *kinds, waitables = (
            [(each, node) for node, entities in nodes for each in entities[number] if wanted(each)]
            for number in range(len(KINDS) + 1)
        )
        self._waitables = waitables
        self._by_pointer = [
            {each.handle.pointer: (each, node) for each, node in kind} for kind in kinds
        ]
        self._guards = [each for each, _ in kinds[KINDS.index('guard_condition')]]
        self._set = _make([*map(len, kinds)], len(guards), waitables, context)
        self._handles = [each.handle for kind in kinds for each, _ in kind]
        self._handles += [each.handle for each in guards] + [context.handle]
        self._add: list[tuple[Callable[[Any], object], Any]] = [
            (getattr(self._set, f'add_{name}'), each.handle)
            for name, kind in zip(KINDS, kinds, strict=True)
            for each, _ in kind
        ]
        self._add += [(self._set.add_guard_condition, each.handle) for each in guards]

    def wait(self, timeout_ns: int) -> Ready:
        """Waits until something is ready, and returns what is.

        Args:
            timeout_ns: 0 does not wait, -1 waits for ever.

        Raises:
            InvalidHandle: An entity has been destroyed.
        """
        for guard in self._guards:
            if guard._executor_triggered:  # it was taken, and its callback could not run then
                guard.trigger()
        held: list[Any] = []
        try:
            for entity in (*self._handles, *(waitable for waitable, _ in self._waitables)):
                entity.__enter__()
                held.append(entity)
            self._fill()
            self._set.wait(timeout_ns)
            return list(self._ready())
        finally:
            for each in held:
                each.__exit__(None, None, None)

    def _fill(self) -> None:
        """After each wait only what was ready is left in a wait set of rcl."""
        self._set.clear_entities()
        for add, handle in self._add:
            add(handle)
        for waitable, _ in self._waitables:
            waitable.add_to_wait_set(self._set)

    def _ready(self) -> Iterator[tuple[str, Entity, Node]]:
        for waitable, node in self._waitables:
            if waitable.is_ready(self._set):
                yield 'waitable', waitable, node
        for kind, by_pointer in zip(KINDS, self._by_pointer, strict=True):
            if by_pointer:
                for pointer in self._set.get_ready_entities(kind):  # in the order of adding
                    if pointer in by_pointer:  # else a guard of the executor's own
                        yield (kind, *by_pointer[pointer])


def _make(
    counts: Sequence[int],
    guards: int,
    waitables: Sequence[tuple[Entity, Node]],
    context: Context,
) -> Any:
    """A wait set with room for so many of each of `KINDS`, for the guards and the waitables."""
    timers, subscriptions, own_guards, clients, services = counts
    number = NumberOfEntities(subscriptions, own_guards + guards, timers, clients, services)
    for each, _ in waitables:
        number += each.get_num_entities()
    with context.handle:
        return _rclpy.WaitSet(
            number.num_subscriptions,
            number.num_guard_conditions,
            number.num_timers,
            number.num_clients,
            number.num_services,
            number.num_events,
            context.handle,
        )
