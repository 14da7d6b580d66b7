"""What axe-core finds on a page in Chromium."""

from __future__ import annotations

from importlib.resources import files
from importlib.util import find_spec

import pytest

from bench._browser import Page

AXE = 'axe_core_python'  # a wheel with axe-core in it; nothing is fetched
WITH_AXE = pytest.mark.skipif(not find_spec(AXE), reason='axe-core-python is not installed')
LIGHT, BOTH = (False,), (False, True)
EVERY_RULE, RULES_OF_COLOURS = '{}', "{ runOnly: ['color-contrast'] }"
# Nothing is preloaded: only rules for sound and video, which no page has, would need it.
FAULTS = """((within, rules) => axe
  .run(within, { resultTypes: ['violations'], preload: false, ...rules })
  .then((found) => found.violations
    .filter((each) => ['serious', 'critical'].includes(each.impact))
    .map((each) => `${each.id}: ${each.nodes.map(({ html }) => html).join(' ')}`)))"""


def faults(page: Page, within: str = ':root', schemes: tuple[bool, ...] = BOTH) -> list[str]:
    """The serious and critical ones, with all details open.

    `within`: a selector; only what is in these elements is judged. `schemes`: light and dark, or
    the light one alone for a page without dark colours.
    """
    page.do('document.querySelectorAll("details").forEach((each) => { each.open = true; })')
    if page.do('typeof axe') == 'undefined':
        page.do((files(AXE) / 'axe.min.js').read_text('utf-8') + '; 1')
    found: list[str] = []
    for dark in schemes:
        rules = RULES_OF_COLOURS if dark else EVERY_RULE
        page.size(1400, 900, dark)
        page.until(f'matchMedia("(prefers-color-scheme: dark)").matches === {str(dark).lower()}')
        found += page.do(f'{FAULTS}({within!r}, {rules})')
    return found
