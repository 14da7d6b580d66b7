"""Receives bodies of requests within limits of memory."""

from __future__ import annotations

import asyncio

from starlette.requests import ClientDisconnect, Request

RECEIVE_S = 30.0  # from the first byte to the last one
MEGABYTE = 1_000_000


class BodyRefusedError(Exception):
    """A refused body. `head`: its received start."""

    def __init__(self, status: int, why: str, head: bytes = b'') -> None:
        super().__init__(why)
        self.status = status
        self.why = why
        self.head = head


class Bodies:
    """Limits each body, and all bodies that are being received together.

    Args:
        max_mb: Of one body.
        max_all_mb: Of all bodies that are in memory at once.
    """

    def __init__(self, max_mb: float, max_all_mb: float) -> None:
        self._most = int(max_mb * MEGABYTE)
        self._most_at_once = int(max_all_mb * MEGABYTE)
        self._held = 0

    async def receive(self, request: Request) -> bytes:
        """Return the whole body.

        Raises:
            BodyRefusedError: Too large (413), too slow (408), or too many at once (503).
        """
        body = bytearray()
        try:
            await asyncio.wait_for(self._fill(request, body), RECEIVE_S)
        except asyncio.TimeoutError:
            why = f'the body did not come within {RECEIVE_S:.0f} s'
            raise BodyRefusedError(408, why, bytes(body)) from None
        except ClientDisconnect:
            raise BodyRefusedError(400, 'the client left', bytes(body)) from None
        finally:
            self._held -= len(body)
        return bytes(body)

    async def _fill(self, request: Request, body: bytearray) -> None:
        declared = request.headers.get('content-length', '')
        too_large = declared.isdigit() and int(declared) > self._most
        async for chunk in request.stream():
            if len(body) + len(chunk) > self._most or too_large:
                head = bytes(body[:1] and body) or chunk
                raise BodyRefusedError(413, f'the body has more than {self._most} bytes', head)
            if self._held + len(chunk) > self._most_at_once:
                raise BodyRefusedError(503, 'too many bodies come at once', bytes(body) or chunk)
            body += chunk
            self._held += len(chunk)
