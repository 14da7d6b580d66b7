"""The page in a real browser, where there is one: no errors, no requests, keys that work."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
import re
from typing import Any

from live_page import IN_BROWSER, browser, one_tab, tab  # noqa: F401  # fixtures
import pytest

from bench._browser import Page
from bt_executive.report.read_and_join_run_folders import read_recording
from bt_executive.report.report_html import make_page

pytestmark = IN_BROWSER

READY = "document.documentElement.dataset.ready === 'yes'"
TOLD = 'document.body.dataset.told'
TRIAL = """
<script>
window.addEventListener('error', (event) => console.error(event.message));
window.addEventListener('load', () => {
  const { dataset } = document.body;
  const told = (text) => { dataset.told = (dataset.told || '') + text + ';'; };
  const opener = [...document.querySelectorAll('.row-line.refused .opener')][0];
  const texts = (path) => [...document.querySelectorAll(path)].map((each) => each.textContent);
  const until = (true_, then) => { if (true_()) then(); else setTimeout(until, 20, true_, then); };
  const refusal = () => texts('.nodes li.s-F .words').join('|');
  opener.click();
  until(() => refusal().includes('Need to close mast'), () => {
    told('way ' + texts('.way > dl dt').join(','));
    const cursor = () => Number(document.querySelector('.lanes .cursor').getAttribute('x1'));
    const before = cursor();
    document.querySelector('.time').dispatchEvent(new KeyboardEvent('keydown', { key: 'End' }));
    until(() => cursor() > before, () => {
      told('tree ' + refusal());
      told('picture ' + document.querySelector('.screen img').getAttribute('src').slice(0, 10));
      told('wide ' + (document.documentElement.scrollWidth > innerWidth));
      told('loaded ' + performance.getEntriesByType('resource').length);
    });
  });
});
</script>
"""


@pytest.mark.parametrize('width', [1400, 900, 500])
def test_all_parts_show_the_moment_of_a_decision(
    tab: Page,  # noqa: F811
    page: Any,
    tmp_path: Path,
    width: int,
) -> None:
    open_page = re.sub(r'script-src [^\"]*\"', "script-src 'unsafe-inline'\"", page)
    tab.size(width, 900)
    look(tab, open_page.replace('</body>', f'{TRIAL}</body>'), tmp_path)
    found = tab.until(f"{TOLD}.includes('loaded') && {TOLD}")
    told = dict(each.split(' ', 1) for each in found.rstrip(';').split(';'))
    why = 'Reading,Age of the reading,Rule in the configuration'
    assert told['way'] == f'Proposal,Verdict,Guard,Reason,{why},Approval,Result'
    assert 'Need to close mast' not in told['tree'].split('|')  # the moment has changed
    assert told['picture'] == 'data:image'
    assert told['wide'] == 'false'
    assert told['loaded'] == '0'
    assert tab.errors == []


def test_the_console_stays_silent_under_the_pages_own_policy(
    tab: Page,  # noqa: F811
    page: Any,
    tmp_path: Path,
) -> None:
    look(tab, page, tmp_path)
    tab.until(READY)  # the script has run, hostile words and all
    assert tab.errors == []


def test_a_page_marks_an_active_goal(
    tab: Page,  # noqa: F811
    recorded: Any,
    tmp_path: Path,
) -> None:
    whole = read_recording(recorded)
    begins = [n for n, event in enumerate(whole.events) if 'task_id' in (event.data or {})]
    end = next(n for n in begins if whole.events[n].message.endswith('rest')) + 1
    cut = replace(whole, processes=(whole.events[:end],), trees=(), pictures=())
    look(tab, make_page(cut, in_progress=True), tmp_path)
    shown = tab.until(f'{READY} && document.body.innerHTML')
    made = 'Made during the run, at [0-9.]+ s; its last event was at [0-9.]+ s'
    assert re.search(f'class="made">{made}', shown)
    assert re.search('<summary>.*under way.*<h1[^>]*>rest</h1>', shown, re.DOTALL)
    assert '<p class="empty">No scored picture: live pictures are not kept.</p>' in shown


def look(page: Page, text: str, folder: Path) -> None:
    path = folder / 'page.html'
    path.write_text(text, encoding='utf-8')
    page.open(path.as_uri())
