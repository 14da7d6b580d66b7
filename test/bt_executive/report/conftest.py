"""A run of the real tree, recorded, and its page."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element

import html5lib
import pytest
from recorded_run import RecordedRun
from tree_bench import MakeBench, Propose

from bt_executive.core.executive_ports import Answer
from bt_executive.report.read_and_join_run_folders import read_recording
from bt_executive.report.report_html import make_page

HOSTILE = '</script><script>alert(1)</script><img src=x onerror=alert(2)>"\'&'


@pytest.fixture(scope='session')
def recorded(bench: MakeBench, propose: Propose, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A goal with a refusal, two captures and a hostile goal, answer and thought."""
    folder = tmp_path_factory.mktemp('runs') / 'run'
    zones = 'executive.keep_out=[{name: pit, polygon: [[1, 1], [2, 1], [2, 2]]}]'
    it = bench(
        propose('capture_and_score'),
        propose('move_nudge'),
        propose('capture_and_score'),
        Answer(f'Bright sand. {HOSTILE}'),
        Answer('Nothing to do.'),
        overrides=[zones],
    )
    run = RecordedRun(folder, it, overrides=[zones])
    it.goal(f'look {HOSTILE}')
    run.until_ended([0.2, 0.9])
    it.goal('rest')
    run.until_ended()
    run.close()
    (folder / 'logs').mkdir()
    (folder / 'logs' / 'rover.log').write_text(f'[ERROR] {HOSTILE}\n')
    return folder


@pytest.fixture(scope='session')
def page(recorded: Path) -> str:
    """The page's text."""
    return make_page(read_recording(recorded))


@pytest.fixture(scope='session')
def document(page: str) -> Element:
    """The page, parsed by the rules of HTML 5; a fault in it is an error."""
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    made: Element = parser.parse(page)
    return made
