"""Answers without a model: requests a look when asked to, and returns the measurements.

It implements the same port as a real one, so that nothing else has to know which of them answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
import json
import re

from rover_common.llm.model_ports import Message
from rover_common.llm.model_ports import Picture as ModelPicture
from rover_vision.capture.captured_picture import Picture
from rover_vision.capture.connected_clients import Source
from rover_vision.chat.look_prompts import CANNOT_SEE, QUESTION, source_of
from rover_vision.chat.preamble_mark import MARK
from rover_vision.seeing.measurements_in_words import describe
from rover_vision.seeing.picture_measurements import UnreadablePictureError, measure

_LOOK = re.compile(
    r'\b(?:look|see|seen|view|watch|show|picture|photo|camera|visible|ahead|around|in front'
    r'|rocks?|what is there|what\'s there|describe)\b'
    r'|見|みて|写真|画像|カメラ|前方|何があ|看|照片|图像|前面',
    re.IGNORECASE,
)
_SCREEN = re.compile(
    r'\b(?:screen|desktop|monitor|display|window)\b|画面|デスクトップ|屏幕|桌面', re.I
)


class OfflineModel:
    """Implements `rover_vision.chat.model_answers.Model` without any model."""

    def stream(
        self, messages: Sequence[Message], pictures: Sequence[ModelPicture] = ()
    ) -> Iterator[str]:
        """Yield the answer as one chunk, or a request for a look."""
        message = messages[-1].text if messages else ''
        if pictures:
            yield self._seen(message, pictures)
        elif CANNOT_SEE in message:
            yield f'I cannot see anything now: {message.partition(CANNOT_SEE)[2].strip()}'
        else:
            yield self._first(message.partition(QUESTION)[2] or message)

    def cut(self) -> None:
        """Do nothing: there is no request."""

    def _first(self, message: str) -> str:
        if _SCREEN.search(message):
            return f'{MARK} {json.dumps({"source": Source.DESKTOP.value})}\n'
        if _LOOK.search(message):
            return f'{MARK} {json.dumps({"source": Source.CAMERA.value})}\n'
        return (
            f'{MARK} none\nI can look and measure, but not talk: no language model is configured. '
            'Ask what is to be seen, or set vision.model.provider (docs/vision.md).'
        )

    def _seen(self, message: str, pictures: Sequence[ModelPicture]) -> str:
        picture = Picture(pictures[0].data, pictures[0].media_type.partition('/')[2], 0, 0)
        try:
            return describe(measure(picture), source_of(message))
        except UnreadablePictureError as error:
            return f'I have a picture, but cannot measure it: {error}'
