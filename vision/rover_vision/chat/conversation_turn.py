"""One turn of a conversation: look if the model requests it, then answer, in the same turn.

The model writes one line before its answer (`vision_request_line.py`). If it requests a look, its
text is dropped, one look is taken through the tree, and the model answers again: with the picture,
or with the reason why there is none. It cannot request a second one.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from concurrent.futures import Executor
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
import time
from typing import Any

from rover_common.errors import BtExecutiveError
from rover_common.llm.model_ports import Message
from rover_vision.capture.client_protocol import ChatRequest
from rover_vision.capture.connected_clients import Source
from rover_vision.chat.model_prompts_and_answers import (
    Answers,
    first_pass,
    with_picture,
    without_picture,
)
from rover_vision.chat.vision_request_line import LookWanted, PreambleParser
from rover_vision.episodes.episode_store import NewEpisode, Origin
from rover_vision.gateway.gateway_routes import ChatEvent
from rover_vision.look_request_and_result import LookRequest, Looks, Picture, PictureSet
from rover_vision.seeing.picture_measurements import measured_data
from rover_vision.watch.watch_looks import Watch
from rover_vision.watch.watch_settings import parse_watch_change

PRESET = 'rover'  # the only embedding preset that there is
EXCHANGES_KEPT = 6  # of each client
CLIENTS_KEPT = 50
NOTHING = 'The model said nothing.'


@dataclass
class _Turn:
    """The state of a turn."""

    request: ChatRequest
    history: Sequence[Message]
    shown: list[str] = field(default_factory=list)
    seen: PictureSet | None = None
    source: Source = Source.CAMERA
    is_whole: bool = False  # the answer

    @property
    def reply(self) -> str:
        return ''.join(self.shown).strip()


class ChatTurns:
    """Answers clients. Implements `rover_vision.gateway.gateway_routes.Chat`.

    Args:
        keep: Stores an episode and returns its number; may block.
        workers: Threads for blocking calls.
        watch: Can be changed by an operator's text; None: there is none.
    """

    def __init__(
        self,
        answers: Answers,
        looks: Looks,
        keep: Callable[[NewEpisode], int],
        workers: Executor,
        limit_s: float,
        watch: Watch | None = None,
    ) -> None:
        self._answers = answers
        self._looks = looks
        self._keep = keep
        self._workers = workers
        self._limit_s = limit_s
        self._watch = watch
        self._histories: OrderedDict[str, deque[Message]] = OrderedDict()

    async def turn(
        self, request: ChatRequest, pictures: Sequence[Picture]
    ) -> AsyncIterator[ChatEvent]:
        """Yield events `token`, then one `done` or `error`."""
        fault = _fault_of(request, pictures)
        if fault is not None:
            yield fault
            return
        turn = _Turn(request, tuple(self._history(request.client_id)))
        if pictures:
            turn.seen = PictureSet(request.client_id, tuple(pictures))
        deadline = time.monotonic() + self._limit_s
        try:
            async with aclosing(self._tokens(turn)) as tokens:
                while (token := await _within(deadline, tokens)) is not None:
                    turn.shown.append(token)
                    yield 'token', {'text': token}
            turn.is_whole = True
        except asyncio.TimeoutError:
            yield _error('llm_stream_failed', f'No answer within {self._limit_s:g} s.')
            return
        except BtExecutiveError as error:
            yield _error('llm_stream_failed' if turn.shown else 'llm_start_failed', str(error))
            return
        finally:
            if turn.seen is not None and not pictures and not turn.is_whole:
                self._workers.submit(self._keep_broken_off, turn, turn.seen)
        yield await self._end(turn)

    async def _tokens(self, turn: _Turn) -> AsyncGenerator[str, None]:
        answer_text = self._set_watch(turn.request.input_text)
        if answer_text:
            yield answer_text
            return
        if turn.seen is None:
            parser = PreambleParser()
            first = self._written(first_pass(*_question(turn)), (), parser)
            async with aclosing(first) as chunks:
                async for chunk in chunks:
                    yield chunk
            if parser.wanted is None:
                if parser.fault and not turn.reply:
                    yield parser.fault
                return
            answer = self._after_look(turn, parser.wanted)
        else:
            messages = with_picture(*_question(turn), turn.seen, 'picture')
            answer = self._written(messages, turn.seen.pictures)
        async with aclosing(answer) as pieces:
            async for piece in pieces:
                yield piece

    def _set_watch(self, text: str) -> str:
        """Change the watch if the text asks for it; return the answer, or an empty text."""
        change = parse_watch_change(text) if self._watch is not None else None
        if self._watch is None or change is None:
            return ''
        try:
            self._watch.set(change.applied(self._watch.settings))
        except ValueError as error:
            return str(error)
        return str(self._watch.settings)

    async def _after_look(self, turn: _Turn, wanted: LookWanted) -> AsyncGenerator[str, None]:
        turn.source = wanted.source
        question = wanted.extra or turn.request.input_text
        target = turn.request.client_id if wanted.source is Source.DESKTOP else ''
        found = await self._looks.look(LookRequest(wanted.source, question, 'chat', target))
        if isinstance(found, PictureSet):
            turn.seen = found
            messages = with_picture(*_question(turn), found, wanted.source.value, wanted.extra)
        else:
            messages = without_picture(*_question(turn), found.sentence)
        try:
            pictures = turn.seen.pictures if turn.seen else ()
            async with aclosing(self._written(messages, pictures)) as pieces:
                async for piece in pieces:
                    yield piece
        except BtExecutiveError as error:
            reason = found.sentence if not isinstance(found, PictureSet) else ''
            yield f'{reason} I have no words for it: {error}'.strip()

    async def _written(
        self,
        messages: Sequence[Message],
        pictures: Sequence[Picture] = (),
        until_look: PreambleParser | None = None,
    ) -> AsyncGenerator[str, None]:
        """Yield an answer. A request for a look is ignored, unless `until_look` notes it."""
        parser = until_look or PreambleParser()
        async with aclosing(self._answers.stream(messages, pictures)) as chunks:
            async for chunk in chunks:
                shown = parser.feed(chunk)
                if until_look and until_look.wanted:
                    return
                if shown:
                    yield shown
        rest = parser.end()
        if rest and not (until_look and until_look.wanted):
            yield rest

    async def _end(self, turn: _Turn) -> ChatEvent:
        reply = turn.reply or NOTHING
        history = self._history(turn.request.client_id)
        history.append(Message('user', turn.request.input_text))
        history.append(Message('assistant', reply))
        number = 0
        if turn.seen is not None:
            try:
                number = await self._store_episode(turn, turn.seen, reply)
            except BtExecutiveError as error:
                return _error('db_write_failed', str(error))
        return 'done', {'episode_unit_id': number, 'reply_text': reply, 'usage': {}}

    async def _store_episode(self, turn: _Turn, seen: PictureSet, reply: str) -> int:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._workers, self._stored, turn, seen, reply)

    def _stored(self, turn: _Turn, seen: PictureSet, reply: str) -> int:
        """Store the episode of a turn; may block."""
        return self._keep(
            NewEpisode(
                seen,
                Origin.CHAT,
                turn.source.value,
                asked_by=turn.request.client_id,
                measured=measured_data(seen.pictures[0]),
                question=turn.request.input_text,
                answer=reply,
            )
        )

    def _keep_broken_off(self, turn: _Turn, seen: PictureSet) -> None:
        """Store what a turn has looked at, of which the client receives no whole answer."""
        with suppress(BtExecutiveError):  # nobody is left who could be answered
            self._stored(turn, seen, turn.reply)

    def _history(self, client_id: str) -> deque[Message]:
        history = self._histories.pop(client_id, None)
        if history is None:
            history = deque[Message](maxlen=2 * EXCHANGES_KEPT)
        self._histories[client_id] = history
        while len(self._histories) > CLIENTS_KEPT:
            self._histories.popitem(last=False)
        return history


def _question(turn: _Turn) -> tuple[str, Sequence[Message]]:
    return turn.request.input_text, turn.history


def _fault_of(request: ChatRequest, pictures: Sequence[Picture]) -> ChatEvent | None:
    if request.embedding_preset_id not in (None, '', PRESET):
        return _error('invalid_embedding_preset_id', f'There is one preset: {PRESET}.')
    if not request.input_text.strip() and not pictures:
        return _error('empty_input', 'input_text is empty, and there is no picture.')
    return None


def _error(code: str, message: str) -> ChatEvent:
    return 'error', {'message': message, 'code': code}


async def _within(deadline: float, tokens: AsyncIterator[str]) -> str | None:
    """Return the next token; None at the end."""
    timeout = max(deadline - time.monotonic(), 0.001)

    async def following() -> Any:
        return await anext(tokens, None)

    return await asyncio.wait_for(following(), timeout)
