"""Pages that are open, in a process of their own: each reads what a browser's page is sent.

    python -m bench._open_pages ORIGIN COOKIE COUNT

Says "open" when all are, and when its input ends how many messages the last of them was sent.
"""

from __future__ import annotations

import asyncio
import sys

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin


async def main(origin: str, cookie: str, count: int) -> None:
    """Opens the pages, and reads until the input ends."""
    counts = [0] * count
    pages = [await _opened(origin, cookie) for _ in range(count)]
    reading = [asyncio.create_task(_read(page, counts, at)) for at, page in enumerate(pages)]
    print('open', flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    for each in reading:
        each.cancel()
    print(min(counts), flush=True)


async def _opened(origin: str, cookie: str) -> ClientConnection:
    return await connect(
        f'{origin.replace("http", "ws", 1)}/feed',
        origin=Origin(origin),
        additional_headers={'Cookie': cookie},
        max_size=None,
        ping_interval=None,
        compression=None,
    )


async def _read(page: ClientConnection, counts: list[int], number: int) -> None:
    async for _ in page:
        counts[number] += 1


if __name__ == '__main__':
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
