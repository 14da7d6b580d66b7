"""What a run of the guard bench came to: as JSON, as Markdown, and as a picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
import json
import math
from pathlib import Path
from typing import Any

from bench.guard.judge import Verdict, as_data
from bench.guard.mutation import Mutant
from bench.guard.statistics import Share, halves, summary, timings

ROW_PX, LEFT_PX, WIDE_PX = 26, 330, 360
PAGE = Path(__file__).parents[2] / 'docs' / 'guard_bench.md'
BEGIN, END = '<!-- rules: made by --mutation -->', '<!-- end of rules -->'


def write_report(
    folder: Path,
    on: Sequence[Verdict],
    off: Sequence[Verdict] = (),
    mutants: Sequence[Mutant] = (),
    more: Mapping[str, Any] | None = None,
) -> Path:
    """Write report.json, report.md and report.svg into a folder; returns the Markdown's path."""
    folder.mkdir(parents=True, exist_ok=True)
    data = as_json(on, off, mutants) | {'more': dict(more or {})}
    text = json.dumps(data, indent=1, ensure_ascii=False, default=_plain)
    (folder / 'report.json').write_text(text + '\n', encoding='utf-8')
    (folder / 'report.svg').write_text(picture(on, off), encoding='utf-8')
    path = folder / 'report.md'
    lines = markdown(on, off, mutants, more or {})
    path.write_text('\n'.join(lines) + '\n', encoding='utf-8')
    return path


def as_json(
    on: Sequence[Verdict], off: Sequence[Verdict] = (), mutants: Sequence[Mutant] = ()
) -> dict[str, Any]:
    """Return a run in JSON values. `timings` alone depends on the machine."""
    return {
        'figures': {name: each.as_data() for name, each in summary(on, off).items()},
        'timings': timings(on),
        'families': {family: _family(each) for family, each in _by_family(on).items()},
        'mutation': [vars(each) for each in mutants],
        'failed': [as_data(each) for each in on if each.failed],
        'cases': [as_data(each) for each in on],
    }


def markdown(
    on: Sequence[Verdict],
    off: Sequence[Verdict],
    mutants: Sequence[Mutant],
    more: Mapping[str, Any],
) -> Iterable[str]:
    """Yield the lines of the report for people."""
    yield '# Guard bench'
    yield ''
    hostile, benign = halves(on)
    yield f'{len(hostile)} hostile and {len(benign)} benign cases; bounds of 95 %, exact.'
    yield ''
    yield '| | count | of | 95 % |'
    yield '|---|---|---|---|'
    for name, share in summary(on, off).items():
        low, high = share.bounds
        yield f'| {name} | {share.count} | {share.of} | {100 * low:.2f} to {100 * high:.2f} % |'
    yield ''
    yield '| time | |'
    yield '|---|---|'
    yield from (f'| {name} | {_number(value)} |' for name, value in timings(on).items())
    yield ''
    yield '| family | pairs | unsafe | false claims | leaks | benign accepted |'
    yield '|---|---|---|---|---|---|'
    for family, pairs in _by_family(on).items():
        row = _family(pairs)
        yield f'| {family} | ' + ' | '.join(str(value) for value in row.values()) + ' |'
    failed = [each for each in on if each.failed]
    if failed:
        yield ''
        yield '## Not as it must be'
        yield ''
        yield from (f'- `{each.name}`: {"; ".join(each.faults)}' for each in failed)
    if mutants:
        yield ''
        yield from _mutation(mutants)
    for name, lines in more.items():
        yield ''
        yield f'## {name}'
        yield ''
        yield from lines


def _mutation(mutants: Sequence[Mutant]) -> Iterable[str]:
    killed = sum(bool(each.killed_by) for each in mutants)
    yield f'## Mutation: {killed} of {len(mutants)} removed rules are found'
    yield ''
    yield from mutation_table(mutants)


def mutation_table(mutants: Sequence[Mutant]) -> Iterable[str]:
    """Yield the lines of a table: each rule, and what found its removal."""
    yield '| layer | rule that was removed | found by | what went wrong then |'
    yield '|---|---|---|---|'
    for mutant in mutants:
        found = f'`{mutant.killed_by}`' if mutant.killed_by else '**by no case**'
        yield f'| {mutant.layer} | {mutant.rule} | {found} | {mutant.fault} |'


def write_page(mutants: Sequence[Mutant], page: Path = PAGE) -> None:
    """Write the table of rules into the page of the documentation."""
    before, _, rest = page.read_text('utf-8').partition(BEGIN)
    _, _, after = rest.partition(END)
    rows = '\n'.join(mutation_table(mutants))
    page.write_text(f'{before}{BEGIN}\n{rows}\n{END}{after}', 'utf-8')


def picture(on: Sequence[Verdict], off: Sequence[Verdict] = ()) -> str:
    """Return the figures as an SVG: each share as a dot, with its bounds as a line."""
    rows = list(summary(on, off).items())
    width, height = LEFT_PX + WIDE_PX + 130, ROW_PX * (len(rows) + 2)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="system-ui, sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="#fff"/>',
    ]
    for percent in (0, 25, 50, 75, 100):
        x = LEFT_PX + WIDE_PX * percent / 100
        parts.append(
            f'<line x1="{x}" x2="{x}" y1="{ROW_PX}" y2="{height - ROW_PX}" stroke="#ddd"/>'
            f'<text x="{x}" y="{height - 8}" text-anchor="middle" fill="#666">{percent} %</text>'
        )
    parts += [_row(number, name, share) for number, (name, share) in enumerate(rows)]
    return '\n'.join([*parts, '</svg>']) + '\n'


def _row(number: int, name: str, share: Share) -> str:
    y = ROW_PX * (number + 1) + 8
    low, high = (LEFT_PX + WIDE_PX * each for each in share.bounds)
    at = LEFT_PX + WIDE_PX * (0.0 if math.isnan(share.share) else share.share)
    good = name.startswith(('benign accepted', 'task done'))
    colour = '#2a7f3f' if good else '#b03a2e' if 'without' not in name else '#888'
    return (
        f'<text x="{LEFT_PX - 10}" y="{y + 4}" text-anchor="end">{escape(name)}</text>'
        f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y}" y2="{y}" stroke="{colour}" '
        'stroke-width="3" stroke-linecap="round"/>'
        f'<circle cx="{at:.1f}" cy="{y}" r="5" fill="{colour}"/>'
        f'<text x="{LEFT_PX + WIDE_PX + 14}" y="{y + 4}" fill="#444">'
        f'{share.count} of {share.of}</text>'
    )


def _by_family(verdicts: Iterable[Verdict]) -> dict[str, list[Verdict]]:
    found: dict[str, list[Verdict]] = {}
    for each in verdicts:
        found.setdefault(each.family, []).append(each)
    return dict(sorted(found.items()))


def _family(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    hostile, benign = halves(verdicts)
    return {
        'pairs': len(hostile),
        'unsafe': sum(bool(each.unsafe) for each in verdicts),
        'false claims': sum(bool(each.false_claims) for each in verdicts),
        'leaks': sum(bool(each.leaks) for each in hostile),
        'benign accepted': f'{sum(each.accepted for each in benign)} of {len(benign)}',
    }


def _number(value: float) -> str:
    return '–' if math.isnan(value) else f'{value:g}'


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else str(value)
