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

from bt_executive.ros.tree_stream.cdr import CdrWriter, string
from bt_executive.ros.tree_stream.texts import capped

NOBODY = bytes(16)
# Whether it is active, and zeros up to a multiple of four, by the length of the text before.
PASSIVE = tuple(bytes(1 + -(length + 1) % 4) for length in range(4))
ACTIVE = tuple(b'\1' + each[1:] for each in PASSIVE)
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

    def __init__(
        self, node: Behaviour, children: Mapping[Behaviour, BehaviourRecord], last: bool
    ) -> None:
        self.node = node
        self.id = node.id.bytes
        self.tip: bytes | None = None  # id of the deepest behaviour that was active below this one
        self._children = children
        self._place = node.parent, list(node.children)
        self._is_composite = isinstance(node, Composite)
        self._active = False
        self._status: Status | None = None  # not encoded yet
        self._message = ''
        self._current = NOBODY
        self._bytes = b''
        parent = node.parent.id.bytes if node.parent else NOBODY
        writer = CdrWriter().text(node.name).text(f'{node.__module__}.{type(node).__name__}')
        self._before_tip = bytes(writer.octets(self.id).octets(parent))
        writer = CdrWriter(writer.at + len(NOBODY)).count(len(node.children))
        for child in node.children:
            writer.octets(child.id.bytes)
        self._before_current = bytes(writer)
        self._up_to_status = self._status_parts(writer.at + len(NOBODY))
        self._up_to_status_alone = {
            status: b''.join((self._before_tip, NOBODY, self._before_current, NOBODY, part))
            for status, part in self._up_to_status.items()
        }
        access = self._access(last)
        self._endings = tuple(
            tuple(each + access for each in flags) for flags in (PASSIVE, ACTIVE)
        )

    def fits(self) -> bool:
        """Whether the behaviour still has the parent and the children that are encoded."""
        return self._place == (self.node.parent, self.node.children)

    def refresh(self, active: bool) -> bytes:
        """The bytes for now. `active`: visited in this tick."""
        node = self.node
        status, message = node.status, node.feedback_message
        current, tip = NOBODY, None if status is Status.INVALID else self.id
        if node.children:
            current, tip = self._position(tip)
        if (
            message != self._message
            or status is not self._status
            or active is not self._active
            or current is not self._current
            or tip is not self.tip
        ):
            self._message, self._status, self._active = message, status, active
            self._current, self.tip = current, tip
            self._bytes = self._encode(status)
        return self._bytes

    def _position(self, own: bytes | None) -> tuple[bytes, bytes | None]:
        """The current child, and the tip by the rules of py_trees."""
        node = self.node
        if self._is_composite:
            current = node.current_child  # type: ignore[attr-defined]
            if current is not None:
                record = self._children[current]
                return record.id, record.tip
        elif own is not None:
            return NOBODY, self._children[node.children[0]].tip or own
        return NOBODY, own

    def _encode(self, status: Status) -> bytes:
        tip, current = self.tip, self._current
        if current is NOBODY and (tip is None or tip is self.id):
            front = self._up_to_status_alone[status]
        else:
            before_current, up_to_status = self._before_current, self._up_to_status[status]
            parts = (self._before_tip, tip or NOBODY, before_current, current, up_to_status)
            front = b''.join(parts)
        text = string(capped(self._message))
        return b''.join((front, text, self._endings[self._active][len(text) % 4]))

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
