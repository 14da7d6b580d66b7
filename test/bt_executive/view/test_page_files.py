"""The page's own files: all there, all words in all languages, and third parties with licences."""

from __future__ import annotations

from pathlib import Path
import re

import pytest

from bt_executive.view import page_files

FOLDER = Path(page_files.__file__).parent / 'static'
KEY = re.compile(r"(?:^|[{,])\s*(\w+): '", re.MULTILINE)


def test_every_file_is_named_and_every_name_is_a_file() -> None:
    live = (*page_files.LIVE_SCRIPTS, *page_files.FLEET_STYLES, *page_files.FLEET_SCRIPTS)
    named = {*page_files.LIVE_STYLES, *page_files.REPORT_SCRIPTS, *live}
    there = {
        path.relative_to(FOLDER).as_posix()
        for path in FOLDER.rglob('*')
        if path.suffix in ('.js', '.css')
    }
    assert named == there


def test_code_of_others_stands_beside_its_licence() -> None:
    code = (FOLDER / 'vendor').glob('*.js')
    for path in (*code, FOLDER / page_files.FONT):
        assert (FOLDER / 'vendor' / f'{path.name.split(".")[0]}.LICENSE').is_file()


def test_the_font_of_the_pages_has_each_japanese_character_of_their_texts() -> None:
    has = (FOLDER / page_files.FONT).with_suffix('.txt').read_text('utf-8')  # made with it
    wants = {each for each in page_files.asset('words.js') if each >= '\u2e80'}
    assert wants <= {*has}, 'make it anew: .ci/page_font.py'


def words() -> dict[str, list[str]]:
    english, japanese = page_files.asset('words.js').split('  ja: {')
    return {'en': KEY.findall(english), 'ja': KEY.findall(japanese.split('};')[0])}


def test_both_languages_have_the_same_texts() -> None:
    assert set(words()['en']) == set(words()['ja'])


@pytest.mark.parametrize('name', sorted({*page_files.LIVE_SCRIPTS, *page_files.FLEET_SCRIPTS}))
def test_every_used_text_exists(name: str) -> None:
    if not name.startswith('vendor/'):
        used = re.findall(r"\bt\('(\w+)'", page_files.asset(name))
        assert {*used} <= {*words()['en']}
