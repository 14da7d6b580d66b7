"""The last step before a message leaves a front end: its texts arrive whole."""

from __future__ import annotations

from typing import Any, TypeVar

from rover_common.printable import sendable

T = TypeVar('T', bound=Any)


def sendable_message(message: T) -> T:
    """The message with all of its texts made `sendable`: a goal must not end before its "not"."""
    for name, kind in message.get_fields_and_field_types().items():
        if kind == 'string':
            setattr(message, name, sendable(getattr(message, name)))
    return message
