"""The charge while several nodes publish it; the graph is a fake."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

from rover_common.ros import battery_publishers
from rover_common.ros.battery_publishers import BatteryPublishers


def test_the_lowest_charge_counts_while_there_are_several_and_the_log_names_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    several, warnings = '', list[str]()
    monkeypatch.setattr(battery_publishers, 'several_publishers', lambda *_: several)
    log = SimpleNamespace(warning=lambda text, **_: warnings.append(text))
    node: Any = SimpleNamespace(get_logger=lambda: log)
    charge = BatteryPublishers(node, 'battery_state')

    def read(*percentages: float) -> list[float]:
        return [charge.percentage(SimpleNamespace(percentage=each)) for each in percentages]

    assert read(0.5, 0.9) == [0.5, 0.9]
    assert not warnings
    several = '2 publishers on /battery_state'
    assert read(0.5, 0.9, 0.4, 87.0, 0.6) == [0.5, 0.5, 0.4, 87.0, 0.4]
    assert all(map(math.isnan, read(math.nan)))
    assert {*warnings} == {f'The lowest charge of the battery counts: {several}'}
    several = ''
    assert read(0.9) == [0.9]


def test_without_a_charge_of_before_the_first_one_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(battery_publishers, 'several_publishers', lambda *_: 'two')
    log = SimpleNamespace(warning=lambda *_, **__: None)
    node: Any = SimpleNamespace(get_logger=lambda: log)
    message = SimpleNamespace(percentage=0.7)
    assert BatteryPublishers(node, 'battery_state').percentage(message) == 0.7
