"""A LangGraph checkpointer on the journal's file, for graphs of users.

It extends LangGraph's SQLite saver, which has its own tables (`checkpoints`, `writes`): the file
is opened with the journal's checks, `BrainState` values are restored, and the asynchronous methods
are implemented. Needs the extra `langgraph`. A graph and an executive may use one file at the same
time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
import sqlite3
from typing import Any

from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from bt_executive.core.state import BrainState, state_from_json, state_to_json
from bt_executive.store.sqlite_opening_and_faults import open_for_writing
from bt_executive.store.store_lock_and_previous_run import make_if_missing
from rover_common.errors import JournalError
from rover_common.reason import Reason


@dataclass(frozen=True)
class StoredState:
    """A `BrainState` in a checkpoint. LangGraph's own format turns tuples into lists."""

    text: str


class StateSerializer(JsonPlusSerializer):
    """LangGraph's serializer, which restores `BrainState` and no other class by default.

    A state may be the value itself, or inside dicts, lists and tuples. To allow classes of a
    graph's own state, use the saver's `with_allowlist`.
    """

    def __init__(self) -> None:
        super().__init__(allowed_msgpack_modules=[(StoredState.__module__, StoredState.__name__)])

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Return the name of the format, and the bytes of the value."""
        return super().dumps_typed(_stored(obj))

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Return the value that `dumps_typed` serialized."""
        return _restored(super().loads_typed(data))


class JournalSaver(SqliteSaver):
    """A checkpointer on the journal's file. `config` is LangChain's RunnableConfig."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection, serde=StateSerializer())

    async def aget_tuple(self, config: Any) -> CheckpointTuple | None:
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(
        self,
        config: Any,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 (LangGraph's name)
        before: Any = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        checkpoints = await asyncio.to_thread(
            lambda: list(self.list(config, filter=filter, before=before, limit=limit))
        )
        for checkpoint in checkpoints:
            yield checkpoint

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: Any, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ''
    ) -> None:
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        await asyncio.to_thread(self.delete_thread, thread_id)


@contextmanager
def journal_saver(path: Path) -> Iterator[JournalSaver]:
    """Open a checkpointer on the journal `path`, which is created if it is missing.

    Raises:
        JournalError: The file cannot be used; the message says why.
    """
    make_if_missing(path)
    connection = open_for_writing(path)
    if isinstance(connection, Reason):
        raise JournalError(connection.sentence)
    connection.isolation_level = 'DEFERRED'  # LangGraph's saver commits explicitly
    with closing(connection):
        yield JournalSaver(connection)


def _stored(value: Any) -> Any:
    if isinstance(value, BrainState):
        return StoredState(state_to_json(value))
    if type(value) is dict:
        return {key: _stored(each) for key, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_stored(each) for each in value)
    return value


def _restored(value: Any) -> Any:
    if isinstance(value, StoredState):
        return state_from_json(value.text)
    if type(value) is dict:
        return {key: _restored(each) for key, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_restored(each) for each in value)
    return value
