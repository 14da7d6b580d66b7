"""One behaviour on the wire: the CDR bytes of `py_trees_ros_interfaces/msg/Behaviour`, kept.

What never changes (names, ids, type) is encoded once. After a tick `refresh` compares what may
have changed and encodes again only then; most behaviours of a tree stand still most of the time.
"""

from __future__ import annotations

from collections.abc import Mapping

from py_trees.behaviour import Behaviour
from py_trees.common import BlackBoxLevel, Status
from py_trees.composites import Composite, Parallel, Selector, Sequence
from py_trees.decorators import Decorator

from bt_executive.ros.tree_host.cdr import CdrWriter, string
from bt_executive.ros.tree_host.texts import capped

NOBODY = bytes(16)
STATUS = {Status.INVALID: 1, Status.RUNNING: 2, Status.SUCCESS: 3, Status.FAILURE: 4}
BLACKBOX_LEVEL = {
    BlackBoxLevel.DETAIL: 1,
    BlackBoxLevel.COMPONENT: 2,
    BlackBoxLevel.BIG_PICTURE: 3,
    BlackBoxLevel.NOT_A_BLACKBOX: 4,
}


class BehaviourRecord:
    """Remembers a behaviour as it was encoded last. Its children's records come first.

    `last`: it is the root, whose bytes nothing but the message's own fields follow.
    """

    __slots__ = (
        '_after', '_before_current', '_before_tip', '_bytes', '_children', '_is_composite',
        '_known', '_up_to_status', 'node', 'tip',
    )  # fmt: skip

    def __init__(
        self, node: Behaviour, children: Mapping[Behaviour, BehaviourRecord], last: bool
    ) -> None:
        self.node = node
        self.tip: bytes | None = None  # id of the deepest behaviour that was active below this one
        self._children = children
        self._is_composite = isinstance(node, Composite)
        self._known: tuple[object, ...] = ()
        self._bytes = b''
        parent = node.parent.id.bytes if node.parent else NOBODY
        writer = CdrWriter().text(node.name).text(f'{node.__module__}.{type(node).__name__}')
        self._before_tip = bytes(writer.octets(node.id.bytes).octets(parent))
        writer = CdrWriter(writer.at + len(NOBODY)).count(len(node.children))
        for child in node.children:
            writer.octets(child.id.bytes)
        self._before_current = bytes(writer)
        self._up_to_status = self._status_parts(writer.at + len(NOBODY))
        self._after = self._access(last)

    def refresh(self, active: bool) -> bytes:
        """The bytes for now. `active`: visited in this tick."""
        node = self.node
        current, self.tip = self._position(node)
        seen = (node.status, node.feedback_message, active, current, self.tip)
        if seen != self._known:
            self._known = seen
            self._bytes = self._encode(active, current)
        return self._bytes

    def _position(self, node: Behaviour) -> tuple[bytes, bytes | None]:
        """The current child, and the tip by the rules of py_trees."""
        own = None if node.status is Status.INVALID else node.id.bytes
        if self._is_composite:
            current = node.current_child  # type: ignore[attr-defined]
            if current is not None:
                return current.id.bytes, self._children[current].tip
        elif node.children and own is not None:
            below = self._children[node.children[0]]
            return NOBODY, below.tip if below.node.status is not Status.INVALID else own
        return NOBODY, own

    def _encode(self, active: bool, current: bytes) -> bytes:
        tip = NOBODY if self.tip is None or self.tip == self.node.id.bytes else self.tip
        message = string(capped(self.node.feedback_message)) + (b'\1' if active else b'\0')
        parts = (
            self._before_tip,
            tip,
            self._before_current,
            current,
            self._up_to_status[self.node.status],
            message,
            bytes(-len(message) % 4),
            self._after,
        )
        return b''.join(parts)

    def _status_parts(self, at: int) -> dict[Status, bytes]:
        """From the type to the status, which is followed by the message."""
        node = self.node
        writer = CdrWriter(at).octets(bytes([kind_of(node)])).text(detail_of(node))
        writer.octets(bytes([BLACKBOX_LEVEL[node.blackbox_level]]))
        start, front = writer.at, bytes(writer)
        return {
            status: front + bytes(CdrWriter(start).octets(bytes([number])).align(4))
            for status, number in STATUS.items()
        }

    def _access(self, last: bool) -> bytes:
        pairs = [
            (key, access)
            for client in self.node.blackboards
            for keys, access in ((client.read, 'r'), (client.write, 'w'), (client.exclusive, 'x'))
            for key in sorted(keys)
        ]
        writer = CdrWriter().count(len(pairs))
        for key, access in pairs:
            writer.text(key).text(access)
        return bytes(writer if last else writer.align(4))


def kind_of(node: Behaviour) -> int:
    """The number of the behaviour's type. The viewer breaks at 0 (unknown) and 5 (chooser)."""
    kinds = ((Sequence, 2), (Selector, 3), (Parallel, 4), (Decorator, 6))
    return next((number for kind, number in kinds if isinstance(node, kind)), 1)


def detail_of(node: Behaviour) -> str:
    """Whether a composite has memory, or which policy a parallel has. The viewer parses this."""
    if isinstance(node, (Sequence, Selector)):
        return 'WithMemory' if node.memory else ''
    if isinstance(node, Parallel):
        policy = type(node.policy).__name__.replace('Success', '')
        chosen = getattr(node.policy, 'children', None)
        if chosen is None:
            return policy
        return f'{policy}({", ".join(sorted(str(node.children.index(each)) for each in chosen))})'
    return ''
