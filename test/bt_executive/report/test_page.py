"""The page as a document: whole, self-contained, and deaf to what hostile text asks for."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
import re
from typing import Any
from xml.etree.ElementTree import Element

from known import known
import pytest

from bt_executive.report.page import make_page, write_report
from bt_executive.report.reading import read_recording

HOSTILE = '</script><script>alert(1)</script><img src=x onerror=alert(2)>"\'&'
LOADING = {
    'src',
    'href',
    'srcset',
    'action',
    'data',
    'poster',
    '{http://www.w3.org/1999/xlink}href',
}


def texts(document: Element, path: str) -> list[str]:
    return [' '.join(''.join(each.itertext()).split()) for each in document.findall(path)]


def test_the_page_asks_the_network_for_nothing(document: Element, page: str) -> None:
    for element in document.iter():
        if not isinstance(element.tag, str):
            continue
        for name in LOADING & element.attrib.keys():
            assert element.attrib[name].startswith(('#', 'data:image/jpeg;base64,')), (
                element.attrib
            )
        assert element.tag.rpartition('}')[2] not in (
            'link',
            'iframe',
            'object',
            'embed',
            'base',
            'form',
        )
    assert set(re.findall(r'url\(.', page)) == {'url(#'}
    assert '@import' not in page


def test_no_element_carries_styles_or_handlers(document: Element) -> None:
    for element in document.iter():
        if isinstance(element.tag, str):
            assert not [name for name in element.attrib if name == 'style' or name[:2] == 'on']


def test_the_policy_lets_only_our_own_script_and_style_run(document: Element) -> None:
    (policy,) = (
        each.attrib['content']
        for each in document.iter('meta')
        if each.attrib.get('http-equiv') == 'Content-Security-Policy'
    )
    directives = dict(each.strip().split(' ', 1) for each in policy.split(';'))
    assert directives['default-src'] == "'none'"
    scripts = [each for each in document.iter('script') if 'type' not in each.attrib]
    for (element,), name in ((scripts, 'script-src'), (list(document.iter('style')), 'style-src')):
        digest = hashlib.sha256(str(element.text).encode()).digest()
        assert directives[name] == f"'sha256-{base64.b64encode(digest).decode()}'"


def test_hostile_words_are_words(document: Element, page: str) -> None:
    assert '<script>alert' not in page
    assert not [each for each in document.iter('img') if each.attrib['src'] == 'x']
    assert any(HOSTILE in text for text in texts(document, './/h2'))
    assert any(HOSTILE in text for text in texts(document, './/blockquote'))
    assert any(HOSTILE in text for text in texts(document, './/pre'))
    assert any(HOSTILE in line[1] for line in moments(document)['says'])


def moments(document: Element) -> Any:
    (data,) = (each for each in document.iter('script') if each.attrib.get('type'))
    return json.loads(str(data.text))


def test_every_refusal_stands_there_with_its_reason(document: Element, recorded: Path) -> None:
    refusals = [
        event
        for event in read_recording(recorded).events
        if event.kind == 'DECIDE' and event.ok is False
    ]
    rows = [text for text in texts(document, './/tr') if 'refused' in text]
    assert len(rows) == len(refusals) == 1
    for row, event in zip(rows, refusals, strict=True):
        assert known(event.tool_name) in row
        assert f'refused: {event.error_reason}' in row
        assert f'guard {known(event.data)["guard"]}' in row


def test_each_goal_has_a_section_with_figures_chart_map_and_pictures(document: Element) -> None:
    first, second = document.findall(".//section[@class='goal']")
    assert 'reached' in texts(first, './/span')
    assert '0.20 → 0.90, best 0.90' in texts(first, './/dd')
    classes = [each.attrib.get('class', '') for each in first.iter()]
    for name in ('chart', 'map', 'bar ok', 'cross', 'area keep-out', 'area bright', 'curve'):
        assert name in classes, name
    assert len(first.findall('.//img')) == 2
    assert 'score (0 to 1)' in texts(first, './/{*}text')
    assert 'battery (%)' in texts(first, './/{*}text')
    assert 'x (m)' in texts(first, './/{*}text')
    assert 'Nothing to do.' in texts(second, './/blockquote')


def test_all_ids_are_different_and_links_lead_to_them(document: Element) -> None:
    ids = [each.attrib['id'] for each in document.iter() if 'id' in each.attrib]
    assert len(ids) == len(set(ids))
    assert {link.attrib['href'][1:] for link in document.iter('a')} <= set(ids)


def test_the_state_at_each_moment_is_there_without_what_changes_all_the_time(
    document: Element,
) -> None:
    data = moments(document)['moments']
    rows = document.findall('.//details[@class="state"]//tbody/tr')
    shown = [''.join(known(row.find('th')).itertext()) for row in rows]
    assert not {'robot.pose_at', 'robot.status_at', 'trace.log'} & {*shown}
    number = shown.index('world.last_score')
    scores = [new[str(number)] for *_, new in data if str(number) in new]
    assert scores == ['null', '0.2', '0.9']
    assert known(rows[number].find('td')).text == '0.9'


def test_the_tree_and_its_moments_are_there(document: Element) -> None:
    data = moments(document)
    names = texts(document, ".//ol[@class='nodes']/li/span[@class='name']")
    assert 'Check the proposal' in names
    said = {word for _, _, _, words, *_ in data['moments'] for word in words.values()}
    assert 'Need to close mast' in said
    stamps = [moment[0] for moment in data['moments']]
    assert stamps == sorted(stamps)


def test_a_time_in_the_table_leads_to_the_tick_of_that_event(document: Element) -> None:
    (button,) = document.findall(".//tr[@class='refused']//button")
    number = int(button.attrib['data-event'])
    told = next(each for each in moments(document)['moments'] if each[4] >= number)
    assert 'Need to close mast' in told[3].values()
    assert dict(moments(document)['says'])[number].startswith('DECIDE: move_nudge')


def test_configuration_and_overrides_are_shown(document: Element) -> None:
    code = texts(document, './/code')
    assert any('keep_out' in each for each in code)
    assert {'executive.yaml', 'topics.yaml'} <= set(texts(document, './/summary'))


def test_the_page_is_written_into_the_folder_or_where_it_is_wanted(
    recorded: Path, tmp_path: Path
) -> None:
    assert write_report(recorded) == recorded / 'report.html'
    wanted = tmp_path / 'page.html'
    assert write_report(recorded, wanted) == wanted
    assert wanted.read_text(encoding='utf-8').startswith('<!DOCTYPE html>')


@pytest.mark.parametrize('name', ['tree.jsonl', 'inbox.jsonl', 'run.json', 'config', 'pictures'])
def test_a_folder_that_lacks_something_still_gives_a_page(
    recorded: Path, tmp_path: Path, name: str
) -> None:
    copy = tmp_path / 'run'
    copy.mkdir()
    for each in recorded.iterdir():
        if each.name != name:
            (copy / each.name).symlink_to(each)
    text = make_page(read_recording(copy))
    assert re.search(r'is not there|is missing|cannot be used|cannot be shown', text)
