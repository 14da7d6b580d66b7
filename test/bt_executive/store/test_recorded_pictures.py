"""A picture that was looked at is kept like one that was scored, with what was said of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from recorded_run import lines_of

from bt_executive.store.json_lines_file import JsonLinesFile
from bt_executive.store.recorded_pictures import PictureFolder, PictureMatcher
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


def test_a_picture_of_a_simulation_before_is_not_matched_with_an_event_of_this_one() -> None:
    kept: list[bytes] = []
    match = PictureMatcher(lambda _entry, jpeg: kept.append(jpeg))
    match.add_picture(77.0, b'before')
    match.add_event(replace(ended(LOOK), ts=300.0, data=None))
    match.add_event(ended(LOOK))
    assert kept == []
    match.add_picture(77.0, b'now')
    assert kept == [b'now']


def test_pictures_with_one_stamp_are_all_kept_and_one_that_is_judged_twice_once(
    tmp_path: Path,
) -> None:
    index = JsonLinesFile(tmp_path / 'pictures.jsonl', '{"schema":"x"}', 1.0, lambda _: None)
    folder = PictureFolder(tmp_path, index, max_number=2, max_mb=1.0)
    entry = PictureEntry(stamp=77.0, ts=80.0, event_id='e-1', score=0.4)
    for jpeg in (b'before', b'now', b'before', b'later'):
        folder.write(entry, jpeg, ())
    index.close()
    files = [line.get('file') for line in lines_of(tmp_path / 'pictures.jsonl')[1:]]
    assert files[0] == files[2] != files[1]
    assert [(tmp_path / str(name)).read_bytes() for name in files[:2]] == [b'before', b'now']
    assert files[3] is None, 'there is room for two'
