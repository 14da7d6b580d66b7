"""Records the exchanges with a provider in a file, and replays them without the provider.

One line of JSON for each message of the model: the new messages of the request, and the response.
API keys are not recorded: it is written from messages, not from HTTP requests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
import json
import os
from pathlib import Path
import threading
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    messages_from_dict,
    messages_to_dict,
)
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from pydantic import PrivateAttr

from rover_common.errors import ConfigError
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_message_text import text_of

FORMAT = 1


class Recorder:
    """Appends exchanges to a file; shared by the threads of a planner."""

    def __init__(self, path: Path) -> None:
        """Start a new record.

        Raises:
            ConfigError: The file cannot be written.
        """
        self._path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text('', encoding='utf-8')
        except OSError as error:
            raise ConfigError(
                f'executive.yaml: planner.record is {str(path)!r}, which cannot be written '
                f'({error.strerror}).'
            ) from None

    def write(self, request: Sequence[BaseMessage], response: AIMessage) -> None:
        """Write one exchange.

        Raises:
            OSError: It cannot be written, as on a full disk; nothing of it is in the file.
        """
        line = {
            'format': FORMAT,
            'goal': goal_of(request),
            'asked': messages_to_dict(_new_messages(request)),
            'said': messages_to_dict([response])[0],
        }
        text = json.dumps(line, ensure_ascii=True, default=str)
        with self._lock:
            size = self._path.stat().st_size if self._path.exists() else 0
            try:
                with self._path.open('a', encoding='utf-8') as file:
                    file.write(f'{text}\n')
            except OSError:
                with suppress(OSError):
                    os.truncate(self._path, size)
                raise


class RecordedChatModel(BaseChatModel):
    """Replays recorded responses in order, goal by goal."""

    exchanges: list[dict[str, Any]]
    _next: int = PrivateAttr(default=0)

    @property
    def _llm_type(self) -> str:
        return 'bt-executive-recorded'

    def bind_tools(
        self, tools: Sequence[Mapping[str, Any] | type | Callable[..., Any]], **kwargs: Any
    ) -> Runnable[Any, BaseMessage]:
        """Bind tools, like any chat model that can call tools; a record needs none."""
        return self.bind(offered=len(tools), **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - the signature is langchain's
        run_manager: Any = None,  # noqa: ARG002
        **_kwargs: Any,
    ) -> ChatResult:
        goal = goal_of(messages)
        for at in range(self._next, len(self.exchanges)):
            if self.exchanges[at]['goal'] == goal:
                self._next = at + 1
                response = messages_from_dict([self.exchanges[at]['said']])[0]
                return ChatResult(generations=[ChatGeneration(message=response)])
        raise ModelError(f'The record has nothing more for the goal {goal!r:.200}.', again=False)


def load_record(path: Path) -> RecordedChatModel:
    """Read a record.

    Raises:
        ConfigError: The file is missing or is no record.
    """
    try:
        lines = path.read_text(encoding='utf-8').splitlines()
        exchanges = [json.loads(line) for line in lines]
        goals = [each['goal'] for each in exchanges]
        messages_from_dict([each['said'] for each in exchanges])
    except OSError as error:
        raise ConfigError(
            f'executive.yaml: planner.record is {str(path)!r}, which cannot be read '
            f'({error.strerror}); record a run first.'
        ) from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ConfigError(
            f'executive.yaml: planner.record is {str(path)!r}, which is not a record of '
            f'exchanges: {error}.'
        ) from None
    if not goals:
        raise ConfigError(f'executive.yaml: planner.record is {str(path)!r}, which is empty.')
    return RecordedChatModel(exchanges=exchanges)


def goal_of(messages: Sequence[BaseMessage]) -> str:
    """Return the goal of a conversation."""
    return next((text_of(each) for each in messages if isinstance(each, HumanMessage)), '')


def _new_messages(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return the messages after the model's last one; all, if there is none."""
    for at in range(len(messages) - 1, -1, -1):
        if isinstance(messages[at], AIMessage):
            return list(messages[at + 1 :])
    return list(messages)
