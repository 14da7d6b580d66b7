"""The report: one HTML file without network requests, which runs only its own script.

Texts of goals, models and robots are JSON data without `<`, and the script shows them as text. The
security policy in the page's head allows only the style sheet and the script with given hashes,
and pictures within the page.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
import hashlib
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from bt_executive.report.read_and_join_run_folders import Recording, join, read_recording
from bt_executive.report.report_page_data import page_data
from bt_executive.view import page_files
from bt_executive.view.page_data_fields_and_json import PageData, to_json
from rover_common.errors import RecordingError

PACKAGE = 'bt_executive.report'
REPORT_FILE = 'report.html'


def write_report(
    runs: Sequence[Path], output: Path | None = None, in_progress: bool = False
) -> Path:
    """Writes one page about one or more run folders; returns its path.

    Without `output` it is in the last folder. `in_progress`: whether the run continues.

    Raises:
        RecordingError: A folder cannot be read as a run, or the page cannot be written.
    """
    page = make_page(join([read_recording(run) for run in runs]), in_progress)
    path = output or runs[-1] / REPORT_FILE
    try:
        path.write_text(page, encoding='utf-8', errors='replace')
    except OSError as error:
        raise RecordingError(
            f'{path} cannot be written ({error.strerror}): name another file with -o FILE.'
        ) from None
    return path


def make_page(recording: Recording, in_progress: bool = False) -> str:
    """Return the page as text."""
    data = page_data(recording, in_progress)
    style, script = map(page_files.joined, (page_files.STYLES, page_files.REPORT_SCRIPTS))
    return (
        _environment()
        .get_template('report.html')
        .render(
            name=data.name,
            title=_title(data),
            style=style,
            script=script,
            policy=_policy(style, script),
            data=_in_html(to_json(data)),
        )
    )


def _title(data: PageData) -> str:
    goals = [goal.story.text for goal in data.goals if not goal.trivial]
    return goals[0] if len(goals) == 1 else data.name


def _in_html(text: str) -> str:
    """Escape `<`, `>` and `&` in JSON, so that an HTML parser finds no markup."""
    for sign in '<>&':
        text = text.replace(sign, f'\\u{ord(sign):04x}')
    return text


def _environment() -> Environment:
    return Environment(
        loader=PackageLoader(PACKAGE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _policy(style: str, script: str) -> str:
    hashes = [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (style, script)
    ]
    return (
        "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
        f"style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'"
    )
