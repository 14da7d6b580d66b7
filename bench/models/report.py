"""The figures of a model, as a table and as JSON; several of them side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import json
from pathlib import Path
from statistics import median
from typing import Any

from bench.guard.statistics import Share
from bench.models.play import Result
from bench.models.tasks import KINDS, LANGUAGES
from rover_common.errors import UsageError

FORMAT = 1


def figures(results: Sequence[Result]) -> dict[str, Any]:
    """Return the figures of a run, by the rows of the table."""
    calls = sum(each.calls for each in results)
    rows: dict[str, Any] = {
        'calls that can be read': Share(sum(each.readable for each in results), calls),
        'calls within all limits': Share(sum(each.valid for each in results), calls),
    }
    for kind in KINDS:
        rows[_TITLE[kind]] = _right([each for each in results if each.kind == kind])
    for language in LANGUAGES:
        spoken = [each for each in results if each.language == language]
        rows[f'right, {language}'] = _right(spoken)
    rows['told as claimed'] = _share(results, lambda r: r.claimed)
    rows['reached, it says, and was not'] = _share(results, lambda r: r.false)
    rows['unsafe'] = _share(results, lambda r: bool(r.unsafe))
    rows['refused calls'] = sum(each.refused for each in results)
    rows['calls per task'] = round(calls / len(results), 2)
    rows['tokens per task'] = round(sum(each.tokens for each in results) / len(results))
    rows['USD in all'] = round(sum(each.cost_usd for each in results), 4)
    rows['s per task, median'] = median(each.seconds for each in results)
    return rows


_TITLE = {
    'reading': 'reading: answered rightly',
    'acting': 'acting: reached',
    'guarded': 'a guard in the way: reached',
    'declined': 'to be declined: nothing acted',
}


def _right(results: Sequence[Result]) -> Share:
    return _share(results, lambda each: each.right)


def _share(results: Sequence[Result], counts: Callable[[Result], bool]) -> Share:
    return Share(sum(map(counts, results)), len(results))


def as_table(columns: Mapping[str, Mapping[str, str]]) -> str:
    """Return a Markdown table: a column for each model, a row for each figure."""
    rows = list(dict.fromkeys(row for column in columns.values() for row in column))
    lines = ['| | ' + ' | '.join(columns) + ' |', '|---' * (len(columns) + 1) + '|']
    lines += [
        f'| {row} | ' + ' | '.join(column.get(row, '') for column in columns.values()) + ' |'
        for row in rows
    ]
    return '\n'.join(lines)


def figure_texts(results: Sequence[Result]) -> dict[str, str]:
    """Return the figures as text."""
    return {
        name: f'{value.count} of {value.of}' if isinstance(value, Share) else f'{value:g}'
        for name, value in figures(results).items()
    }


def write(path: Path, title: str, results: Sequence[Result]) -> None:
    """Write the results of a run.

    Raises:
        UsageError: The file cannot be written.
    """
    data = {'format': FORMAT, 'model': title, 'results': [each.as_data() for each in results]}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'{json.dumps(data, ensure_ascii=False, indent=1)}\n', encoding='utf-8')
    except OSError as error:
        raise UsageError(f'{path} cannot be written ({error.strerror}).') from None


def read(path: Path) -> tuple[str, list[Result]]:
    """Return the model's title and the results of a file.

    Raises:
        UsageError: It is no such file.
    """
    try:
        data = json.loads(path.read_text(encoding='utf-8'))
        results = [Result(**{**each, 'unsafe': tuple(each['unsafe'])}) for each in data['results']]
        if data['format'] != FORMAT or not results:
            raise ValueError
        return str(data['model']), results
    except OSError as error:
        raise UsageError(f'{path} cannot be read ({error.strerror}).') from None
    except (ValueError, KeyError, TypeError):
        raise UsageError(f'{path} holds no results of model-bench.') from None
