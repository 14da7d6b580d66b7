"""The resources /api/settings and /api/episodes, in the form of the public protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt

from rover_common.errors import BtExecutiveError
from rover_vision.capture.client_protocol import Id, WireError, read_body
from rover_vision.chat.conversation_turn import PRESET
from rover_vision.episodes.episode_store import EpisodeStore
from rover_vision.look_request_and_result import Picture
from rover_vision.watch.watch_looks import Watch
from rover_vision.watch.watch_settings import LONGEST_INTERVAL_S, WatchChange

BAD_REQUEST = 400
KINDS = ('llm', 'embedding', 'persona', 'addon')


class BadSettingsError(WireError):
    """Inconsistent settings: 400, as the public server answers."""

    status = BAD_REQUEST


class _Put(BaseModel):
    """The body of PUT. Keys of other servers of the protocol are ignored."""

    model_config = ConfigDict(frozen=True)

    memory_enabled: StrictBool
    desktop_watch_enabled: StrictBool
    desktop_watch_interval_seconds: Annotated[StrictInt, Field(ge=1, le=LONGEST_INTERVAL_S)]
    desktop_watch_target_client_id: Id | None
    active_llm_preset_id: str
    active_embedding_preset_id: str
    active_persona_preset_id: str
    active_addon_preset_id: str
    llm_preset: list[dict[str, Any]]
    embedding_preset: list[dict[str, Any]]
    persona_preset: list[dict[str, Any]]
    addon_preset: list[dict[str, Any]]


class WatchResource:
    """The settings of the watch, among the names that a public settings page expects.

    There is one preset of each kind, which cannot be changed here: models are chosen in
    config/vision.yaml, and keys come from the environment alone.
    """

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    async def get(self) -> Mapping[str, Any]:
        """Return all settings."""
        settings = self._watch.settings
        return {
            'memory_enabled': True,
            'exclude_keywords': [],
            'reminders_enabled': False,
            'reminders': [],
            'desktop_watch_enabled': settings.enabled,
            'desktop_watch_interval_seconds': settings.interval_s,
            'desktop_watch_target_client_id': settings.target,
            **{f'active_{kind}_preset_id': PRESET for kind in KINDS},
            **{
                f'{kind}_preset': [{f'{kind}_preset_id': PRESET, f'{kind}_preset_name': PRESET}]
                for kind in KINDS
            },
        }

    async def put(self, body: bytes) -> Mapping[str, Any]:
        """Replace all settings.

        Raises:
            WireError: They cannot be used; nothing has changed.
        """
        put = read_body(_Put, body)
        for kind in KINDS:
            active = getattr(put, f'active_{kind}_preset_id')
            listed = {each.get(f'{kind}_preset_id') for each in getattr(put, f'{kind}_preset')}
            if active not in listed or active != PRESET:
                raise BadSettingsError(
                    f'active_{kind}_preset_id is {active!r:.80}: there is {PRESET} alone.'
                )
        if not put.memory_enabled:
            raise BadSettingsError('memory_enabled is false: episodes are always kept here.')
        target = put.desktop_watch_target_client_id
        change = WatchChange(
            put.desktop_watch_enabled, put.desktop_watch_interval_seconds, target or ''
        )
        try:
            self._watch.set(change.applied(self._watch.settings))
        except (BtExecutiveError, ValueError) as error:
            raise BadSettingsError(str(error)) from None
        return await self.get()


class StoredEpisodes:
    """The episodes of a store, read in a worker thread."""

    def __init__(self, store: EpisodeStore, workers: Executor) -> None:
        self._store = store
        self._workers = workers

    async def find(self, words: str, most: int) -> Sequence[Mapping[str, Any]]:
        """Return the latest episodes, or those with these words."""
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._workers, self._store.search, words, most)
        return [asdict(each) for each in found]

    async def picture(self, number: int) -> Picture | None:
        """Return the picture of an episode; None: it is deleted."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._workers, self._store.picture, number)
