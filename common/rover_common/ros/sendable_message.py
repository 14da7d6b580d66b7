"""The last step before a message with texts is sent: they arrive whole."""

from __future__ import annotations

from typing import Any, TypeVar

from rover_common.printable import sendable

T = TypeVar('T', bound=Any)


def sendable_message(message: T) -> T:
    """Return the message with its own texts made `sendable`; those of messages in it are not.

    A goal must not end before its "not", and a text that cannot be encoded must end no publisher.
    """
    for name, kind in message.get_fields_and_field_types().items():
        if kind == 'string':
            setattr(message, name, sendable(getattr(message, name)))
    return message
