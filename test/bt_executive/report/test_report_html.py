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

from bt_executive.report.read_and_join_run_folders import read_recording
from bt_executive.report.report_html import make_page, write_report
from bt_executive.view import page_files

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


def data_of(document: Element) -> Any:
    """PageData in the page."""
    (block,) = (each for each in document.iter('script') if 'type' in each.attrib)
    return json.loads(known(block.text))


@pytest.mark.slow
def test_the_page_asks_the_network_for_nothing(document: Element, page: str) -> None:
    for element in document.iter():
        if isinstance(element.tag, str):
            assert not LOADING & element.attrib.keys()
            tag = element.tag.rpartition('}')[2]
            assert tag not in ('link', 'iframe', 'object', 'embed', 'base', 'form', 'img')
    assert set(re.findall(r'url\(.', page)) <= {'url(#'}
    assert '@import' not in page
    for picture in data_of(document)['pictures']:
        assert picture['src'].startswith('data:image/jpeg;base64,')


@pytest.mark.slow
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
    assert directives['img-src'] == 'data:'
    scripts = [each for each in document.iter('script') if 'type' not in each.attrib]
    for (element,), name in ((scripts, 'script-src'), (list(document.iter('style')), 'style-src')):
        digest = hashlib.sha256(str(element.text).encode()).digest()
        assert directives[name] == f"'sha256-{base64.b64encode(digest).decode()}'"


def test_hostile_text_stays_text(document: Element, page: str) -> None:
    assert '<script>alert' not in page
    assert '<img' not in page
    story = data_of(document)['goals'][0]['story']
    assert HOSTILE in story['text']
    assert HOSTILE in story['answer']
    assert HOSTILE in data_of(document)['run']['logs']['rover']
    assert any(HOSTILE in event[3] for event in data_of(document)['events'])


@pytest.mark.parametrize('name', page_files.REPORT_SCRIPTS)
def test_no_script_turns_text_into_markup_or_code(name: Any) -> None:
    """Text from outside becomes text nodes: nothing that parses markup or code is used."""
    if not name.startswith('vendor/'):
        text = page_files.asset(name)
        assert not re.search(
            r'innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|'
            r"srcdoc|setAttribute\('(style|on)",
            text,
        )


def test_every_refusal_stands_there_with_guard_reason_and_what_the_guards_read(
    document: Element, recorded: Path
) -> None:
    refusals = [
        event
        for event in read_recording(recorded).events
        if event.kind == 'DECIDE' and event.ok is False
    ]
    steps = [row for goal in data_of(document)['goals'] for row in goal['story']['rows']]
    refused = [row for row in steps if row.get('verdict') == 'refused']
    assert len(refused) == len(refusals) == 1
    for step, event in zip(refused, refusals, strict=True):
        assert step['tool'] == event.tool_name
        assert step['reason'] == event.error_reason
        assert step['guard'] == known(event.data)['guard']
        assert step['guard'] in dict(step['guards'])


def test_each_goal_has_its_outcome_series_and_pictures(document: Element) -> None:
    data = data_of(document)
    first, second = data['goals']
    assert first['story']['outcome'] == 'claimed', 'its nudge was not measured'
    assert [row['score'] for row in first['story']['rows'] if row.get('score') is not None] == [
        0.2,
        0.9,
    ]
    assert [picture['score'] for picture in data['pictures']] == [0.2, 0.9]
    assert [each['name'] for each in data['world']['zones']] == ['pit']
    for series in ('poses', 'charge', 'tokens'):
        lengths = {len(column) for column in data[series].values()}
        assert len(lengths) == 1
    assert data['poses']['ts']
    assert second['story']['answer'] == 'Nothing to do.'


def test_a_trivial_goal_is_folded(document: Element) -> None:
    assert [goal['trivial'] for goal in data_of(document)['goals']] == [False, True]


def test_the_light_on_the_map_is_the_light_models_not_rvizs(document: Element) -> None:
    light = data_of(document)['world']['light']
    assert (light['x_min'], light['x_good'], light['good']) == (0.0, 5.0, 0.8)


def test_dark_pictures_are_brightened_with_a_note(recorded: Path, document: Element) -> None:
    assert all(1.0 <= each['lift'] <= 12.0 for each in data_of(document)['pictures'])


def test_the_state_at_each_moment_is_there_without_what_changes_all_the_time(
    document: Element,
) -> None:
    (tree,) = data_of(document)['trees']
    assert not {'robot.pose_at', 'robot.status_at', 'trace.log'} & {*tree['fields']}
    number = str(tree['fields'].index('world.last_score'))
    scores = [new[number] for *_, new in tree['moments'] if number in new]
    assert scores == ['null', '0.2', '0.9']


def test_the_tree_and_its_moments_are_there(document: Element) -> None:
    (tree,) = data_of(document)['trees']
    names = [name for name, _, _ in tree['nodes']]
    check = str(names.index('Check the proposal'))
    safety = str(names.index('Safety event?'))
    said = [(letters.get(check), words.get(check)) for _, letters, words, *_ in tree['moments']]
    assert ('F', 'Need to close mast') in said
    told = {letters.get(safety) for _, letters, *_ in tree['moments']} - {None}
    assert told == {'N'}  # a guard that had nothing to say is no refusal
    stamps = [moment[0] for moment in tree['moments']]
    assert stamps == sorted(stamps)


def test_the_moment_of_a_refusal_is_found_by_its_event(document: Element) -> None:
    data = data_of(document)
    (step,) = (
        row
        for goal in data['goals']
        for row in goal['story']['rows']
        if row.get('verdict') == 'refused'
    )
    told = next(each for each in data['trees'][0]['moments'] if each[3] >= step['number'])
    assert 'Need to close mast' in told[2].values()
    assert data['events'][step['number']][2] == 'move_nudge'


def test_configuration_and_overrides_are_shown(document: Element) -> None:
    run = data_of(document)['run']
    assert any('keep_out' in each for each in run['overrides'])
    assert {'executive.yaml', 'topics.yaml'} <= {*run['files']}


@pytest.mark.slow
def test_the_page_is_written_into_the_folder_or_where_it_is_wanted(
    recorded: Path, tmp_path: Path
) -> None:
    assert write_report([recorded]) == recorded / 'report.html'
    wanted = tmp_path / 'page.html'
    assert write_report([recorded], wanted) == wanted
    assert wanted.read_text(encoding='utf-8').startswith('<!DOCTYPE html>')


@pytest.mark.parametrize('name', ['tree.jsonl', 'inbox.jsonl', 'run.json', 'config', 'pictures'])
@pytest.mark.slow
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
