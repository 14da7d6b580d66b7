"""What axe-core finds on a page in Chromium."""

from __future__ import annotations

from importlib.resources import files
from importlib.util import find_spec

import pytest

from bench._browser import Page

AXE = 'axe_core_python'  # a wheel with axe-core in it; nothing is fetched
WITH_AXE = pytest.mark.skipif(not find_spec(AXE), reason='axe-core-python is not installed')
EVERY_RULE, RULES_OF_COLOURS = '{}', "{ runOnly: ['color-contrast'] }"
FAULTS = """((within, rules) => axe.run(within, { resultTypes: ['violations'], ...rules })
  .then((found) => found.violations
    .filter((each) => ['serious', 'critical'].includes(each.impact))
    .map((each) => `${each.id}: ${each.nodes.map(({ html }) => html).join(' ')}`)))"""


def faults(page: Page, within: str = ':root') -> list[str]:
    """The serious and critical ones, with all details open, light and dark.

    `within`: a selector; only what is in these elements is judged.
    """
    page.do('document.querySelectorAll("details").forEach((each) => { each.open = true; })')
    if page.do('typeof axe') == 'undefined':
        page.do((files(AXE) / 'axe.min.js').read_text('utf-8') + '; 1')
    found: list[str] = []
    for dark, rules in ((False, EVERY_RULE), (True, RULES_OF_COLOURS)):
        page.size(1400, 900, dark)
        page.until(f'matchMedia("(prefers-color-scheme: dark)").matches === {str(dark).lower()}')
        found += page.do(f'{FAULTS}({within!r}, {rules})')
    return found
