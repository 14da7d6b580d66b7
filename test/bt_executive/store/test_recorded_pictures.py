"""A picture that was looked at is kept like one that was scored, with what was said of it."""

from __future__ import annotations

from typing import Any

import pytest

from bt_executive.store.recorded_pictures import PictureMatcher
from bt_executive.store.run_folder_formats import PictureEntry
from rover_common.trace_event import TraceEvent

LOOK = {'stamp': 77.0, 'answer': 'Two rocks.', 'measured': {'brightness': 0.4}}


def ended(result: Any) -> TraceEvent:
    return TraceEvent('e-1', 80.0, 'RESULT', 'said', 'look', ok=True, data={'result': result})


@pytest.mark.parametrize('picture_first', [True, False])
def test_a_description_and_its_picture_match_in_either_order(picture_first: bool) -> None:
    kept: list[tuple[PictureEntry, bytes]] = []
    match = PictureMatcher(lambda entry, jpeg: kept.append((entry, jpeg)))
    if picture_first:
        match.add_picture(77.0, b'jpeg')
        match.add_event(ended(LOOK))
    else:
        match.add_event(ended(LOOK))
        match.add_picture(77.0, b'jpeg')
    ((entry, jpeg),) = kept
    assert (entry.words, entry.score, entry.is_good, jpeg) == ('Two rocks.', 0.4, None, b'jpeg')


def test_a_description_of_a_screenshot_matches_no_camera_picture() -> None:
    kept: list[PictureEntry] = []
    match = PictureMatcher(lambda entry, _jpeg: kept.append(entry))
    match.add_picture(0.0, b'jpeg')
    match.add_event(ended(LOOK | {'stamp': 0.0}))
    assert kept == []
