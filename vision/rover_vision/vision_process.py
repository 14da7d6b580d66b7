"""The parts of the process without ROS: gateway, looks, chat, watch, episodes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
import socket
from typing import Any

from starlette.types import ASGIApp

from rover_common.config.settings import VisionSettings
from rover_common.errors import BtExecutiveError
from rover_common.process.threads import end_process
from rover_vision.capture.looks_in_event_loop import Captures
from rover_vision.capture.pending_looks import CaptureRequest
from rover_vision.chat.conversation_turn import ChatTurns
from rover_vision.chat.model_prompts_and_answers import Answers, Model, OfflineModel
from rover_vision.episodes.episode_store import EpisodeStore, NewEpisode, Origin
from rover_vision.gateway.client_sockets_and_rover_camera import CameraFeed, Events, RoverCamera
from rover_vision.gateway.gateway_routes import Parts, make_app
from rover_vision.gateway.gateway_server import GatewayServer
from rover_vision.gateway.settings_and_episodes import StoredEpisodes, WatchResource
from rover_vision.look_request_and_result import Looks, PictureSet
from rover_vision.looks_through_the_tree import LookService
from rover_vision.seeing.picture_measurements import measured_data
from rover_vision.watch.watch_looks import (
    Quiet,
    Watch,
    WatchCondition,
    WatchListener,
    WatchParts,
    WatchSchedule,
)
from rover_vision.watch.watch_settings import WatchSettingsStore

WORKERS = 6


class VisionProcess:
    """The gateway's thread and everything in it.

    Args:
        folder: Where settings, episodes and pictures are kept.
        model: That sees; None: there is none, and pictures are measured.

    Raises:
        EpisodesError: The folder cannot be used.
    """

    def __init__(
        self,
        settings: VisionSettings,
        folder: Path,
        token: str,
        listening: socket.socket,
        model: Model | None,
    ) -> None:
        self._settings = settings
        self._token = token
        self._model = model
        self._workers = ThreadPoolExecutor(WORKERS, thread_name_prefix='vision')
        self._store = EpisodeStore(folder, settings.episodes)
        self._watch_store = WatchSettingsStore(folder, settings.watch)
        self._tasks: set[asyncio.Task[None]] = set()
        self.captures = Captures(settings.capture_timeout_s, self._keep_late)
        self.events = Events(self.captures, settings.dialect, settings.limits.max_sockets)
        self.looks: LookService
        self.watch: Watch
        self.server = GatewayServer(listening, self._make_app, self._before_end)

    def start(
        self,
        camera: CameraFeed,
        looks: Callable[[LookService], Looks],
        listener: WatchListener,
        quiet: Callable[[], Quiet | None],
        show: Callable[[NewEpisode], None],
    ) -> None:
        """Start to serve.

        Args:
            camera: The rover's.
            looks: Returns the looks of chat and watch, given the service of the tree's call.
            listener: Receives the events of the watch.
            quiet: Returns why the watch must be silent; None: no reason.
            show: Receives every stored episode, from any thread.
        """
        self._camera, self._make_looks, self._show = camera, looks, show
        self._listener, self._quiet = listener, quiet
        self.server.start()

    def end(self) -> None:
        """Close everything."""
        self.server.end()
        self._workers.shutdown(wait=False, cancel_futures=True)
        self._store.close()
        self._watch_store.close()

    def keep(self, episode: NewEpisode) -> int:
        """Store an episode; may block.

        Raises:
            EpisodesError: It cannot be stored.
        """
        number = self._store.add(episode)
        self._show(episode)
        return number

    def _make_app(self) -> ASGIApp:
        """Create the parts of the loop, in the loop."""
        settings = self._settings
        edge = settings.model.max_edge
        answers = Answers(self._model or OfflineModel(), self._workers, edge)
        seeing = answers if self._model is not None else None
        self.looks = LookService(self.captures, seeing, self.keep, self._workers)
        looks = self._make_looks(self.looks)
        self.watch = Watch(
            WatchParts(
                self._watch_store,
                looks,
                seeing,
                self.keep,
                self._listener,
                self._quiet,
                self._workers,
            ),
            WatchSchedule(settings.watch.longest_pause_s),
            WatchCondition(settings.watch.dark_below, settings.watch.moved_above),
        )
        RoverCamera(self.captures, self._camera, settings.limits, self._workers)
        self._run_to_end(self.watch.run())
        chat = ChatTurns(
            answers, looks, self.keep, self._workers, settings.chat_timeout_s, self.watch
        )
        return make_app(
            Parts(
                settings,
                self._token,
                self.captures,
                self.events,
                chat,
                WatchResource(self.watch),
                StoredEpisodes(self._store, self._workers),
            )
        )

    def _run_to_end(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine until the end; a fault in it ends this process."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._over)

    def _over(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        fault = None if task.cancelled() else task.exception()
        if fault is not None:
            end_process('vision gateway', fault)

    def _before_end(self) -> None:
        for task in self._tasks:
            task.cancel()
        self.events.close_all()

    def _keep_late(self, request: CaptureRequest, seen: PictureSet) -> None:
        """Store a picture that arrived after its look had ended."""

        def keep() -> None:
            episode = NewEpisode(
                seen,
                Origin.LATE,
                request.source.value,
                asked_by=request.purpose,
                measured=measured_data(seen.pictures[0]),
            )
            try:
                self.keep(episode)
            except BtExecutiveError as error:
                self._listener.warn(str(error))

        self._workers.submit(keep)
