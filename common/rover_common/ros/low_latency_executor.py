"""rclpy's single-threaded executor, which does less between two callbacks.

rclpy puts a wait set together before each wait, in Python, and wakes itself twice after each
callback to do it again. Here it stands until a node gets or loses something; what other threads
leave for the executor (tasks, guard conditions) wakes it as before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
import math
import time
from typing import Any

from rclpy.callback_groups import CallbackGroup
from rclpy.context import Context
from rclpy.event_handler import EventHandler
from rclpy.exceptions import InvalidHandle
from rclpy.executors import (
    ConditionReachedException,
    ExternalShutdownException,
    ShutdownException,
    SingleThreadedExecutor,
    TimeoutException,
    TimeoutObject,
)
from rclpy.guard_condition import GuardCondition
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy
from rclpy.node import Node
from rclpy.task import Task
from rclpy.waitable import NumberOfEntities

from rover_common.process.threads import describe_error
from rover_common.text_sanitizing import one_line

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


NOTICES_PERIOD_S = 1.0  # steady
# Without other events, a suspended task is resumed after this time to check its condition.
SUSPENDED_S = 0.2
Work = tuple[Task, Entity, Node]


class LowLatencyExecutor(SingleThreadedExecutor):
    """Serves everything at once except the middleware's notices about remote endpoints.

    These are notices of incompatible QoS and types, two for each publisher and subscription: half
    of all entities in a wait set. They occur once and end as a warning in the log, so they are
    read when the executor is awake anyway, at most once a second; the middleware keeps them until
    then.
    """

    def __init__(
        self, *, context: Context | None = None, notices_period_s: float = NOTICES_PERIOD_S
    ) -> None:
        super().__init__(context=context)
        self._period_s = notices_period_s
        self._notices_at = -math.inf  # when they were read
        self._changed = True  # a node has gained or lost an entity
        self._entities: list[tuple[Node, Entities]] = []
        self._groups: Groups = []
        self._wait_sets: dict[frozenset[int], PersistentWaitSet] = {}  # by groups that are busy
        self._notices: PersistentWaitSet | None = None
        self._takers = {
            'waitable': self._take_waitable,
            'timer': self._take_timer,
            'subscription': self._take_subscription,
            'guard_condition': self._take_guard_condition,
            'client': self._take_client,
            'service': self._take_service,
        }

    def add_node(self, node: Node) -> bool:
        """See `Executor.add_node`."""
        added = super().add_node(node)
        self._changed = True
        return bool(added)

    def remove_node(self, node: Node) -> None:
        """See `Executor.remove_node`."""
        super().remove_node(node)
        self._changed = True

    def wake(self) -> None:
        """Wake the executor: one of its nodes has gained or lost an entity."""
        self._changed = True
        super().wake()

    def shutdown(self, timeout_sec: float | None = None) -> bool:
        """Stop, and release the nodes."""
        done = super().shutdown(timeout_sec)
        self._entities, self._wait_sets, self._notices = [], {}, None
        return bool(done)

    def _wait_for_ready_callbacks(
        self,
        timeout_sec: float | TimeoutObject | None = None,
        nodes: list[Node] | None = None,
        condition: Callable[[], bool] = lambda: False,
    ) -> Iterator[Work]:
        """Yield the callbacks to execute, as rclpy does, of all its nodes."""
        assert nodes is None
        given = timeout_sec.timeout if isinstance(timeout_sec, TimeoutObject) else timeout_sec
        until = math.inf if given is None or given < 0 else time.monotonic() + given
        while not self._is_shutdown and not condition():
            tasks = self._unfinished()
            yield from tasks
            if any(task.done() for task, *_ in tasks):
                return  # a coroutine may have waited for it
            patience_s = SUSPENDED_S if tasks else math.inf
            served = False
            for work in self._ready(min(until - time.monotonic(), patience_s)):
                served = True
                yield work
            if served:
                return
            if time.monotonic() >= until:
                raise TimeoutException
        if self._is_shutdown:
            raise ShutdownException
        raise ConditionReachedException

    def _unfinished(self) -> list[Work]:
        """Tasks in the order of their creation; rclpy serves the latest first."""
        with self._tasks_lock:
            tasks: list[Work] = [each for each in self._tasks if not each[0].done()]
            self._tasks[:] = tasks
        return [each for each in tasks if not each[0].executing()]

    def _ready(self, limit_s: float) -> Iterator[Work]:
        """Waits, and makes a task of each callback that is due."""
        try:
            ready = self._ask_for_notices() or self._wait(limit_s)
        except InvalidHandle:  # destroyed, and its node has not yet reported it
            self._changed = True
            return
        if self._is_shutdown:
            raise ShutdownException
        if not self._context.ok():
            raise ExternalShutdownException
        for kind, entity, _node in ready:
            if kind == 'guard_condition':  # it is taken with the wait
                entity._executor_triggered = True
        for kind, entity, node in ready:
            if kind == 'timer' and not entity.handle.is_timer_ready():
                continue  # cancelled
            if entity.callback_group.can_execute(entity):
                yield self._make_handler(entity, node, self._takers[kind]), entity, node

    def _wait(self, limit_s: float) -> list[tuple[str, Entity, Node]]:
        self._follow_the_nodes()
        busy = frozenset(
            id(group) for group, entity in self._groups if not group.can_execute(entity)
        )
        if busy not in self._wait_sets:
            self._wait_sets[busy] = self._make_wait_set(busy)
        timeout_ns = -1 if limit_s == math.inf else max(round(limit_s * 1e9), 0)
        return self._wait_sets[busy].wait(timeout_ns)

    def _ask_for_notices(self) -> list[tuple[str, Entity, Node]]:
        now = time.monotonic()
        if now < self._notices_at + self._period_s:
            return []
        self._notices_at = now
        self._follow_the_nodes()
        assert self._notices is not None
        return self._notices.wait(0)

    def _follow_the_nodes(self) -> None:
        """Begins anew where a node has got or lost something since the last wait."""
        if not self._changed:
            return
        self._changed = False  # before they are collected: later changes cause another collection
        entities = [(node, entities_of(node)) for node in self.get_nodes()]
        self._entities, self._wait_sets = entities, {}
        self._groups = groups_of(entities)
        self._notices = PersistentWaitSet(entities, (), self._context, notices=True)

    def _make_wait_set(self, busy: frozenset[int]) -> PersistentWaitSet:
        """All entities except those whose callback group is executing."""
        guards = (self._guard, self._sigint_gc)
        return PersistentWaitSet(self._entities, guards, self._context, busy=busy)

    def _make_handler(self, entity: Entity, node: Node, take: Callable[[Entity], Any]) -> Task:
        """As rclpy's, which also wakes other threads that could serve the next callback."""
        entity._executor_event = True

        async def serve() -> None:
            callback = None
            entity._executor_event = False
            if self._is_shutdown or not entity.callback_group.beginning_execution(entity):
                return
            try:
                with self._work_tracker:
                    with suppress(InvalidHandle):  # destroyed since it was ready
                        callback = take(entity)
                    if callback is not None:
                        await callback()
            except Exception as error:
                if not _is_of_rclpy(entity):
                    raise
                node.get_logger().warning(
                    one_line(
                        f'A message was ignored, rclpy cannot take it: {describe_error(error)}'
                    ),
                    throttle_duration_sec=10.0,
                )
            finally:
                entity.callback_group.ending_execution(entity)

        task = Task(serve, executor=self)
        with self._tasks_lock:
            self._tasks.append((task, entity, node))
        return task


def _is_of_rclpy(entity: Entity) -> bool:
    """Return whether what is served is rclpy's own, such as /clock and the parameter services.

    It trusts what it is sent: a time before zero, or a parameter of no type, ends its callback.
    """
    return getattr(getattr(entity, 'callback', None), '__module__', '').startswith('rclpy.')
