"""Looks through the tree: chat and watch send theirs as goals; what the tree calls is executed.

A look is requested by a client's chat, by the watch, or by the planner's tool. All three reach the
camera only by the action of this process that the executive's tree calls. A request of chat or
watch is recognized when it returns as that call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
import json
from typing import Any, TypeAlias

from rover_common.errors import BtExecutiveError
from rover_common.text_sanitizing import incoming_text
from rover_vision.capture.connected_clients import ROVER, Source
from rover_vision.capture.looks_in_event_loop import Captures
from rover_vision.chat.model_prompts_and_answers import Answers, NoAnswerError, with_picture
from rover_vision.episodes.episode_store import NewEpisode, Origin
from rover_vision.look_request_and_result import LookCode, LookFault, LookRequest, PictureSet
from rover_vision.seeing.picture_measurements import UnreadablePictureError, describe, measure
from rover_vision.watch.watch_looks import EVENT

WEBCAM = 'webcam'  # the source label of a client's camera in an episode
LONGEST_QUESTION = 500  # characters, as the tool's schema in robot.yaml
TREE_S = {'chat': 60.0, EVENT: 20.0}  # timeout of a look, by purpose
Cancel: TypeAlias = Callable[[], None]


@dataclass(frozen=True)
class LookAnswer:
    """The result of the action; see Look.action. `fault` None: there is a picture."""

    fault: LookFault | None = None
    answer: str = ''
    episode: int = 0
    stamp_s: float = 0.0
    measured: str = '{}'


@dataclass
class PendingLook:
    """A look of chat or watch that waits for the tree."""

    request: LookRequest
    found: asyncio.Future[PictureSet | LookFault]
    question: str = field(init=False)

    def __post_init__(self) -> None:
        self.question = incoming_text(self.request.question[:LONGEST_QUESTION])

    def settle(self, found: PictureSet | LookFault) -> None:
        """End the look; only the first result counts."""
        if not self.found.done():
            self.found.set_result(found)


class LookService:
    """Runs in the gateway's loop.

    Args:
        answers: Of a vision model; None: there is none, and the measurements are the answer.
        keep: Stores an episode and returns its number; may block.
        workers: Threads for blocking calls.
    """

    def __init__(
        self,
        captures: Captures,
        answers: Answers | None,
        keep: Callable[[NewEpisode], int],
        workers: Executor,
    ) -> None:
        self._captures = captures
        self._answers = answers
        self._keep = keep
        self._workers = workers
        self._pending: list[PendingLook] = []

    def register(self, request: LookRequest) -> PendingLook:
        """Register a look that is sent to the tree. `withdraw` it when it has ended."""
        pending = PendingLook(request, asyncio.get_running_loop().create_future())
        self._pending.append(pending)
        return pending

    def withdraw(self, pending: PendingLook) -> None:
        """Remove a look that nobody waits for any more."""
        if pending in self._pending:
            self._pending.remove(pending)

    async def look(self, source: Source, question: str) -> LookAnswer:
        """Execute a call of the tree: capture, and answer unless the requester does."""
        question = incoming_text(question)
        pending = self._take_pending(source, question)
        request = pending.request if pending else LookRequest(source, question, 'chat')
        found = await self._capture(request)
        if pending is not None:
            pending.settle(found)
        if not isinstance(found, PictureSet):
            return LookAnswer(found)
        return await self._answer(request, found, by_requester=pending is not None)

    def _take_pending(self, source: Source, question: str) -> PendingLook | None:
        for pending in self._pending:
            if pending.request.source is source and pending.question == question:
                self._pending.remove(pending)
                return pending
        return None

    async def _capture(self, request: LookRequest) -> PictureSet | LookFault:
        if request.source is Source.CAMERA:
            # Never replaced by a webcam, which would show another place.
            return await self._captures.look(
                request.source, request.purpose, (ROVER,), others=False
            )
        if request.only_target and self._captures.shows_only_a_camera(request.target):
            return await self._capture_webcam(request)
        preferred = (request.target,) if request.target else ()
        return await self._captures.look(
            request.source, request.purpose, preferred, others=not request.only_target
        )

    async def _capture_webcam(self, request: LookRequest) -> PictureSet | LookFault:
        """Capture the webcam of the named client, which has no screen."""
        found = await self._captures.look(
            Source.CAMERA, request.purpose, (request.target,), others=False
        )
        if isinstance(found, PictureSet):
            return replace(found, context={**found.context, 'source_label': WEBCAM})
        return found

    async def _answer(
        self, request: LookRequest, seen: PictureSet, by_requester: bool
    ) -> LookAnswer:
        loop = asyncio.get_running_loop()
        picture = seen.pictures[0]
        try:
            measured = await loop.run_in_executor(self._workers, measure, picture)
        except UnreadablePictureError as error:
            return LookAnswer(LookFault(LookCode.BAD_ANSWER, str(error)))
        text, data = describe(measured, request.source.value, seen.place), measured.as_data()
        if by_requester:
            return LookAnswer(None, text, 0, seen.stamp_s, json.dumps(data))
        text = await self._answer_text(request, seen, text)
        episode = NewEpisode(
            seen,
            Origin.GOAL,
            request.source.value,
            asked_by='executive',
            measured=data,
            question=request.question,
            answer=text,
        )
        try:
            number = await loop.run_in_executor(self._workers, self._keep, episode)
        except BtExecutiveError as error:
            number, text = 0, f'{text} ({error})'
        return LookAnswer(None, text, number, seen.stamp_s, json.dumps(data))

    async def _answer_text(self, request: LookRequest, seen: PictureSet, measurements: str) -> str:
        if self._answers is None or not self._answers.sees:
            return measurements
        try:
            messages = with_picture(request.question, (), seen, request.source.value)
            return await self._answers.ask(messages, seen.pictures)
        except NoAnswerError as error:
            return f'{measurements} (The model that sees could not be asked: {error})'


class TreeLooks:
    """Implements `rover_vision.look_request_and_result.Looks`: a look is a goal of the executive.

    Args:
        service: Executes the tree's call.
        send: Sends the goal, whose question is as the tool takes it; calls its second argument
            from any thread with the sentence of the goal's end. Returns a function that cancels
            the goal.
    """

    def __init__(
        self,
        service: LookService,
        send: Callable[[LookRequest, Callable[[str], None]], Cancel],
    ) -> None:
        self._service = service
        self._send = send

    async def look(self, request: LookRequest) -> PictureSet | LookFault:
        """Return the pictures, or why there are none: if the tree refused, its sentence."""
        loop = asyncio.get_running_loop()
        pending = self._service.register(request)
        ended: asyncio.Future[str] = loop.create_future()

        def settle(sentence: str) -> None:
            if not ended.done():
                ended.set_result(sentence)

        def report(sentence: str) -> None:  # from any thread
            if not loop.is_closed():
                loop.call_soon_threadsafe(settle, sentence)

        cancel = self._send(replace(request, question=pending.question), report)
        limit_s = TREE_S.get(request.purpose, TREE_S['chat'])
        try:
            either: list[asyncio.Future[Any]] = [pending.found, ended]
            await asyncio.wait(either, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
            if pending.found.done():
                return pending.found.result()
            if ended.done():
                return LookFault(LookCode.REFUSED, f'{ended.result().rstrip(".")}.')
            reason = (
                f'No picture came within {limit_s:g} s: the executive has not begun this look, as '
                'while a goal or a request for approval is open, or has not ended it.'
            )
            return LookFault(LookCode.TIMED_OUT, reason)
        finally:
            self._service.withdraw(pending)
            if not ended.done() and not pending.found.done():
                cancel()
