"""Executes the looks that the tree allows, and answers from their pictures.

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

from rover_common.errors import BtExecutiveError
from rover_common.text_sanitizing import incoming_text
from rover_vision.capture.captured_picture import PictureSet
from rover_vision.capture.connected_clients import ROVER, Source
from rover_vision.capture.look_fault import LookCode, LookFault
from rover_vision.chat.look_port import LookRequest
from rover_vision.chat.look_prompts import with_picture
from rover_vision.chat.model_answers import Answers, NoAnswerError
from rover_vision.episodes.episode import NewEpisode, Origin
from rover_vision.gateway.looks_of_gateway import Captures
from rover_vision.seeing.measurements_in_words import describe
from rover_vision.seeing.picture_measurements import UnreadablePictureError, measure

WEBCAM = 'webcam'  # the source label of a client's camera in an episode
LONGEST_QUESTION = 500  # characters, as the tool's schema in robot.yaml


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
        captures: Requests pictures of clients.
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
        episode = NewEpisode.of(
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
