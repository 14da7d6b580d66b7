"""How the watch is set: by words, and within bounds."""

from __future__ import annotations

import pytest

from rover_vision.watch.watch_settings import (
    TellWhen,
    WatchChange,
    WatchSettings,
    parse_watch_change,
)

NOW = WatchSettings(False, 300, 'rover')


@pytest.mark.parametrize(
    ('words', 'expected'),
    [
        ('watch every 5 s', WatchSettings(True, 5, 'rover')),
        ('Please watch every 2 minutes.', WatchSettings(True, 120, 'rover')),
        ('look every hour', WatchSettings(True, 3600, 'rover')),
        ('5秒ごとに見て', WatchSettings(True, 5, 'rover')),
        ('watch on', WatchSettings(True, 300, 'rover')),
        ('stop watching', NOW),
        ('Tell me when it gets dark', WatchSettings(True, 300, 'rover', TellWhen.DARK)),
        ('let me know when something moves', WatchSettings(True, 300, 'rover', TellWhen.MOTION)),
        ('暗くなったら教えて', WatchSettings(True, 300, 'rover', TellWhen.DARK)),
    ],
)
def test_words_about_the_watch(words: str, expected: WatchSettings) -> None:
    change = parse_watch_change(words)
    assert change is not None
    assert change.applied(NOW) == expected


@pytest.mark.parametrize(
    'words', ['What is in front of you? Look.', 'Is it dark?', 'drive every day', 'watch out!', '']
)
def test_words_about_something_else(words: str) -> None:
    assert parse_watch_change(words) is None


@pytest.mark.parametrize(
    'change',
    [WatchChange(interval_s=0), WatchChange(interval_s=10**6), WatchChange(target='x' * 201)],
)
def test_what_cannot_be_set_is_one_sentence(change: WatchChange) -> None:
    with pytest.raises(ValueError, match=r'\.$'):
        change.applied(NOW)


def test_what_is_left_out_stays() -> None:
    settings = WatchSettings(True, 7, 'console-1', TellWhen.DARK)
    assert WatchChange().applied(settings) == settings
    assert WatchChange(target='').applied(settings).target is None
