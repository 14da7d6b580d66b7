"""A writer for the few types of CDR that the tree's messages are made of.

CDR aligns each number to its own size, counted from the start of the message. Pieces that begin
at a multiple of four and hold nothing wider can therefore be kept and put together again, which
is what makes a snapshot cheap. OMG DDSI-RTPS 2.3 section 10 and DDS-XTypes 1.2 section 7.4.1.
"""

from __future__ import annotations

import struct

LITTLE_ENDIAN = b'\x00\x01\x00\x00'  # the header before every message; offsets start after it

_U32 = struct.Struct('<I')


class CdrWriter:
    """Appends values. `at`: how many bytes of the message stand before the first one."""

    def __init__(self, at: int = 0) -> None:
        self._at = at
        self._bytes = bytearray()

    def __bytes__(self) -> bytes:
        return bytes(self._bytes)

    @property
    def at(self) -> int:
        """Where the next byte stands in the message."""
        return self._at + len(self._bytes)

    def align(self, size: int) -> CdrWriter:
        """Pads to a multiple of `size`."""
        self._bytes += bytes(-self.at % size)
        return self

    def octets(self, value: bytes) -> CdrWriter:
        """Bytes as they are: an octet array or a flag."""
        self._bytes += value
        return self

    def count(self, value: int) -> CdrWriter:
        """An unsigned number of 32 bits, as before every sequence."""
        self.align(4)._bytes += _U32.pack(value)
        return self

    def text(self, value: str) -> CdrWriter:
        """A string."""
        self.align(4)._bytes += string(value)
        return self

    def numbers(self, layout: str, size: int, *values: float) -> CdrWriter:
        """Numbers of one `size` in bytes, laid out as in module struct."""
        self.align(size)._bytes += struct.pack(f'<{layout}', *values)
        return self


def string(value: str) -> bytes:
    """A string that starts aligned: length with the closing zero, text, zero.

    A zero within the text would end it early for readers in C; lone surrogates are not UTF-8.
    """
    text = value.encode('utf-8', 'replace')
    if b'\0' in text:
        text = text.replace(b'\0', b' ')
    return _U32.pack(len(text) + 1) + text + b'\0'
