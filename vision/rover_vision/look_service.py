"""Carries out the looks that the tree has allowed, and answers from what they show.

A look is wanted in three places: by a client's chat, by the watch, and by the planner's own tool.
All three reach the camera by one way only, the action of this process that the executive's tree
calls. What chat and watch have ordered is recognised when it comes back as that call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
import json

from rover_common.errors import BtExecutiveError
from rover_common.incoming_text import incoming_text
from rover_vision.capture.captured_picture import Seen
from rover_vision.capture.connected_clients import ROVER, Source
from rover_vision.capture.look_fault import LookCode, LookFault
from rover_vision.chat.look_port import LookOrder
from rover_vision.chat.look_prompts import with_picture
from rover_vision.chat.model_answers import Answers, NoAnswerError
from rover_vision.episodes.episode import NewEpisode, Origin
from rover_vision.gateway.looks_of_gateway import Captures
from rover_vision.seeing.measurements_in_words import describe
from rover_vision.seeing.picture_measurements import UnreadablePictureError, measure

WEBCAM = 'webcam'  # what an episode says of a client's camera
LONGEST_QUESTION = 500  # characters, as the tool's schema in robot.yaml


@dataclass(frozen=True)
class LookAnswer:
    """The result of the action; see Look.action. `fault` None: something was seen."""

    fault: LookFault | None = None
    answer: str = ''
    episode: int = 0
    stamp_s: float = 0.0
    measured: str = '{}'


@dataclass
class OrderedLook:
    """A look that chat or watch wants, on its way through the tree."""

    order: LookOrder
    found: asyncio.Future[Seen | LookFault]
    question: str = field(init=False)

    def __post_init__(self) -> None:
        self.question = incoming_text(self.order.question[:LONGEST_QUESTION])

    def settle(self, found: Seen | LookFault) -> None:
        """The look has ended; only the first word counts."""
        if not self.found.done():
            self.found.set_result(found)


class LookService:
    """Lives in the gateway's loop.

    Args:
        captures: Asks the clients.
        answers: Of a model that sees; None: there is none, and what was measured is told.
        keep: Keeps an episode and returns its number; may block.
        workers: Threads for what blocks.
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
        self._ordered: list[OrderedLook] = []

    def order(self, order: LookOrder) -> OrderedLook:
        """Notes a look that was sent to the tree. `withdraw` it when it is over."""
        ordered = OrderedLook(order, asyncio.get_running_loop().create_future())
        self._ordered.append(ordered)
        return ordered

    def withdraw(self, ordered: OrderedLook) -> None:
        """Nobody waits for it any more."""
        if ordered in self._ordered:
            self._ordered.remove(ordered)

    async def look(self, source: Source, question: str) -> LookAnswer:
        """What the tree has called: captures, and answers the question unless others do."""
        question = incoming_text(question)
        ordered = self._recognise(source, question)
        order = ordered.order if ordered else LookOrder(source, question, 'chat')
        found = await self._capture(order)
        if ordered is not None:
            ordered.settle(found)
        if not isinstance(found, Seen):
            return LookAnswer(found)
        return await self._answer(order, found, by_others=ordered is not None)

    def _recognise(self, source: Source, question: str) -> OrderedLook | None:
        for ordered in self._ordered:
            if ordered.order.source is source and ordered.question == question:
                self._ordered.remove(ordered)
                return ordered
        return None

    async def _capture(self, order: LookOrder) -> Seen | LookFault:
        if order.source is Source.CAMERA:
            # Never replaced by somebody's webcam: that would show another place.
            return await self._captures.look(order.source, order.purpose, (ROVER,), others=False)
        if order.only_target and self._captures.shows_only_a_camera(order.target):
            return await self._capture_webcam(order)
        preferred = (order.target,) if order.target else ()
        return await self._captures.look(
            order.source, order.purpose, preferred, others=not order.only_target
        )

    async def _capture_webcam(self, order: LookOrder) -> Seen | LookFault:
        """Of the client that was named, as it has no screen."""
        found = await self._captures.look(
            Source.CAMERA, order.purpose, (order.target,), others=False
        )
        if isinstance(found, Seen):
            return replace(found, context={**found.context, 'source_label': WEBCAM})
        return found

    async def _answer(self, order: LookOrder, seen: Seen, by_others: bool) -> LookAnswer:
        loop = asyncio.get_running_loop()
        picture = seen.pictures[0]
        try:
            measured = await loop.run_in_executor(self._workers, measure, picture)
        except UnreadablePictureError as error:
            return LookAnswer(LookFault(LookCode.BAD_ANSWER, str(error)))
        told, data = describe(measured, order.source.value, seen.place), measured.as_data()
        if by_others:
            return LookAnswer(None, told, 0, seen.stamp_s, json.dumps(data))
        told = await self._in_words(order, seen, told)
        episode = NewEpisode.of(
            seen,
            Origin.GOAL,
            order.source.value,
            asked_by='executive',
            measured=data,
            question=order.question,
            answer=told,
        )
        try:
            number = await loop.run_in_executor(self._workers, self._keep, episode)
        except BtExecutiveError as error:
            number, told = 0, f'{told} ({error})'
        return LookAnswer(None, told, number, seen.stamp_s, json.dumps(data))

    async def _in_words(self, order: LookOrder, seen: Seen, told: str) -> str:
        if self._answers is None or not self._answers.sees:
            return told
        try:
            messages = with_picture(order.question, (), seen, order.source.value)
            return await self._answers.ask(messages, seen.pictures)
        except NoAnswerError as error:
            return f'{told} (The model that sees could not be asked: {error})'
