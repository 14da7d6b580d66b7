"""The rover's camera as a client of the gateway."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from public_client import png

from rover_common.config.load import load_config
from rover_vision.capture.connected_clients import ROVER, Source
from rover_vision.capture.looks_in_event_loop import Captures
from rover_vision.gateway.client_sockets_and_rover_camera import RoverCamera, Shot
from rover_vision.look_request_and_result import PictureSet

LIMITS = load_config().vision.limits


class Feed:
    """A camera that publishes when the test does."""

    def __init__(self) -> None:
        self._waiting: list[Callable[[Shot], None]] = []

    def next_picture(self, take: Callable[[Shot], None]) -> None:
        self._waiting.append(take)

    def publish(self, stamp_s: float) -> None:
        waiting, self._waiting = self._waiting, []
        picture = png(colour=int(stamp_s))
        for take in waiting:
            take(Shot(picture, stamp_s))


def test_one_late_picture_is_kept_once_however_many_looks_have_waited_for_it() -> None:
    """Else a camera that comes back pushes the pictures of older episodes out."""

    async def main() -> None:
        late: list[float] = []
        captures, feed = Captures(5.0, lambda _, seen: late.append(seen.stamp_s)), Feed()
        with ThreadPoolExecutor(1) as workers:
            RoverCamera(captures, feed, LIMITS, workers)

            def look() -> asyncio.Task[object]:
                return asyncio.create_task(
                    captures.look(Source.CAMERA, 'chat', (ROVER,), others=False)
                )

            for stamp_s in (1.0, 2.0):
                for _ in range(3):
                    ended = look()
                    await asyncio.sleep(0)
                    ended.cancel()
                    with suppress(asyncio.CancelledError):
                        await ended
                waiting = look()
                await asyncio.sleep(0)
                feed.publish(stamp_s)
                seen = await waiting
                assert isinstance(seen, PictureSet)
                assert seen.stamp_s == stamp_s
        assert late == [1.0, 2.0]

    asyncio.run(main())
