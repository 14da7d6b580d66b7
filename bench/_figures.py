"""Figures of measurements: printed beside their targets, and kept as JSON.

A figure is one number with its unit. Other processes of a measurement may add figures, too: they
are handed over through the file that `FILE_VARIABLE` names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
import json
import math
import os
from pathlib import Path
import statistics
from typing import Any

FILE_VARIABLE = 'BENCH_FIGURES'
SHARE_VARIABLE = 'BENCH_SHARE'
BOUNDS = {'at_most': '≤', 'at_least': '≥'}


@dataclass(frozen=True)
class Figure:
    """One measured number.

    Attributes:
        name: What was measured.
        value: NaN: it could not be measured, which misses every target.
        unit: Of value and target; empty for counts and ratios.
        target: None: there is none.
        bound: `at_most` or `at_least`: how the value must lie to the target.
    """

    name: str
    value: float
    unit: str = ''
    target: float | None = None
    bound: str = 'at_most'

    @property
    def met(self) -> bool:
        """Whether the target is met, if there is one."""
        if self.target is None:
            return True
        return self.value <= self.target if self.bound == 'at_most' else self.value >= self.target

    @property
    def shortfall(self) -> str:
        """By how much the target is missed; empty if it is met."""
        if self.met or self.target is None:
            return ''
        if not math.isfinite(self.value):
            return 'MISSED: not measured'
        by = abs(self.value - self.target)
        share = f', {by / abs(self.target):.0%}' if self.target else ''
        return f'MISSED by {_number(by)}{self._unit}{share}'

    @property
    def wanted(self) -> str:
        """The target as text; empty without one."""
        if self.target is None:
            return ''
        return f'{BOUNDS[self.bound]} {_number(self.target)}{self._unit}'

    @property
    def measured(self) -> str:
        """The value as text."""
        return _number(self.value) + (self._unit if math.isfinite(self.value) else '')

    def __str__(self) -> str:
        target = f' (target {self.wanted})' if self.wanted else ''
        missed = f'  {self.shortfall}' if self.shortfall else ''
        return f'{self.name}: {self.measured}{target}{missed}'

    @property
    def _unit(self) -> str:
        return f' {self.unit}' if self.unit else ''


def report(
    name: str,
    value: float,
    unit: str = '',
    *,
    at_most: float | None = None,
    at_least: float | None = None,
) -> bool:
    """Print a figure beside its target and keep it; True if the target is met."""
    bound = 'at_most' if at_least is None else 'at_least'
    target = at_most if at_least is None else at_least
    figure = Figure(name, float(value), unit, target, bound)
    print(figure, flush=True)
    if path := os.environ.get(FILE_VARIABLE):
        with Path(path).open('a', encoding='utf-8') as file:
            file.write(json.dumps(to_json(figure), ensure_ascii=False) + '\n')
    return figure.met


def report_times(
    name: str,
    values: Sequence[float],
    unit: str = 'ms',
    *,
    median: float | None = None,
    p99: float | None = None,
) -> bool:
    """Reports the median and the 99th percentile of many values with their upper bounds."""
    middle = report(
        f'{name}, median of {len(values)}', statistics.median(values), unit, at_most=median
    )
    return report(f'{name}, p99', percentile(values, 99), unit, at_most=p99) and middle


def report_longest(
    name: str, values: Sequence[float], unit: str = 's', *, at_most: float | None = None
) -> bool:
    """Reports the median of some values, and the longest with its upper bound."""
    report(f'{name}, median of {len(values)}', statistics.median(values), unit)
    return report(f'{name}, longest', max(values), unit, at_most=at_most)


def trials(all_of_them: int) -> int:
    """Number of trials: all, or the share that `python -m bench --share` requests."""
    return max(1, round(all_of_them * float(os.environ.get(SHARE_VARIABLE, '1'))))


def percentile(values: Sequence[float], percent: int) -> float:
    """The value below which so many percent of the values lie."""
    return statistics.quantiles(values, n=100)[percent - 1] if len(values) > 1 else values[0]


def kept(path: Path) -> list[Figure]:
    """The figures that were reported into a file."""
    lines = path.read_text(encoding='utf-8').splitlines() if path.exists() else []
    return [from_json(json.loads(line)) for line in lines]


def to_json(figure: Figure) -> dict[str, Any]:
    """The figure in JSON values; what could not be measured is null."""
    return asdict(figure) | ({} if math.isfinite(figure.value) else {'value': None})


def from_json(raw: dict[str, Any]) -> Figure:
    """The figure of `to_json`."""
    return Figure(**(raw | ({'value': math.nan} if raw['value'] is None else {})))


def table(results: dict[str, Any]) -> Iterable[str]:
    """The rows of a Markdown table of what `bench.__main__` keeps."""
    yield '| measurement | figure | measured | target | | commit |'
    yield '|---|---|---|---|---|---|'
    for name, result in sorted(results.items()):
        for number, raw in enumerate(result['figures']):
            each = from_json(raw)
            title = f'`{name}`' if number == 0 else ''
            commit = result['commit'] if number == 0 else ''
            row = (title, each.name, each.measured, each.wanted, each.shortfall, commit)
            yield '| ' + ' | '.join(row) + ' |'


def _number(value: float) -> str:
    if not math.isfinite(value):
        return '–'
    if value == int(value) and abs(value) < 1e9:
        return f'{value:.0f}'
    return f'{value:.3g}' if abs(value) < 1000 else f'{value:.0f}'
