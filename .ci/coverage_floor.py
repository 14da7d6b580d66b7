"""Holds the coverage of the quick tests to its floor: `fail_under` in pyproject.toml.

The floor only rises. Coverage below it fails, and so does a floor far below the coverage: who adds
tests raises it, and who lowers it alone is told to raise it again.
"""

from __future__ import annotations

from io import StringIO
import sys

from coverage import Coverage

# Percent between floor and coverage that are allowed. More than one: Pythons differ by some lines.
ROOM = 1.5


def complaint(total: float, floor: float) -> str:
    """What is wrong with a coverage and its floor, both in percent; empty if nothing is."""
    if total < floor:
        return (
            f'The quick tests cover {total:.2f} % of the code, the floor is {floor:g} %: add '
            'tests for what the change leaves out. `.venv/bin/coverage report -m` lists the lines.'
        )
    if total >= floor + ROOM:
        return (
            f'The quick tests cover {total:.2f} % of the code: raise `fail_under` in '
            f'pyproject.toml from {floor:g} to {int(total)}.'
        )
    return ''


def main() -> int:
    """Reads what pytest has measured; returns the exit code."""
    measured = Coverage()
    measured.load()
    total = measured.report(file=StringIO())
    floor = measured.config.fail_under
    wrong = complaint(total, floor)
    print(wrong or f'The quick tests cover {total:.2f} % of the code; the floor is {floor:g} %.')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
