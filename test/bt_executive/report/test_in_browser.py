"""The page in a real browser, where there is one: no errors, no requests, keys that work."""

from __future__ import annotations

from pathlib import Path
import re
import shutil
import subprocess
from typing import Any

import pytest

pytestmark = pytest.mark.process

CHROMIUM = shutil.which('chromium') or shutil.which('chromium-browser') or ''
FLAGS = (
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--enable-logging=stderr',
    '--virtual-time-budget=3000',
    '--dump-dom',
)
TRIAL = """
<script>
window.addEventListener('error', (event) => console.error(event.message));
window.addEventListener('load', () => {
  document.querySelector('tr.refused .jump').click();
  const press = (key) => document.querySelector('.time').dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true }));
  press('PageDown');
  press('PageUp');
  document.title = document.querySelector('.at').textContent;
  const words = [...document.querySelectorAll('.nodes li:not(.s-I) .words')];
  document.body.dataset.words = words.map((each) => each.textContent).join('|');
  document.body.dataset.loaded = performance.getEntriesByType('resource').length;
});
</script>
"""


@pytest.mark.skipif(not CHROMIUM, reason='chromium is not installed')
def test_the_script_shows_the_tree_of_the_moment_that_was_asked_for(
    page: Any, tmp_path: Path
) -> None:
    policy = re.sub(r'script-src [^"]*"', "script-src 'unsafe-inline'\"", page)
    path = tmp_path / 'page.html'
    path.write_text(policy.replace('</body>', f'{TRIAL}</body>'), encoding='utf-8')
    shown = look(path, tmp_path)
    words = re.search(r'data-words="([^"]*)"', shown.stdout)
    assert words is not None, shown.stderr
    assert 'Need to close mast' in words[1].split('|')
    assert 'data-loaded="0"' in shown.stdout


@pytest.mark.skipif(not CHROMIUM, reason='chromium is not installed')
def test_the_console_stays_silent_under_the_pages_own_policy(page: Any, tmp_path: Path) -> None:
    path = tmp_path / 'page.html'
    path.write_text(page, encoding='utf-8')
    shown = look(path, tmp_path)
    assert 'after the start' in shown.stdout  # the script has run
    assert 'CONSOLE' not in shown.stderr


def look(path: Path, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    profile = f'--user-data-dir={tmp_path / "profile"}'
    return subprocess.run(
        [CHROMIUM, *FLAGS, profile, path.as_uri()], capture_output=True, text=True, timeout=60
    )
