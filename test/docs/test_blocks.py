"""Every block of README and docs is of a kind that a test of this folder tries, or shows only."""

from __future__ import annotations

import re

from papers import ROOT, Block, blocks, needs_distribution, pages, spans
import pytest

KINDS = {
    'sh': 'test_commands.py',
    'yaml': 'test_examples.py, test_your_robot.py',
    'python': 'test_your_robot.py',
    'json': 'test_examples.py',
    'text': 'what a screen shows',
}
PROGRAMS = ('.venv/', 'bt-executive ', 'make ', 'python', 'pip ', 'source ', '$ ', 'ros2 ')


@pytest.mark.parametrize('block', blocks(), ids=lambda block: block.place)
def test_a_block_says_what_it_is(block: Block) -> None:
    assert block.kind in KINDS, f'{block.place}: say behind the fence which of {sorted(KINDS)}'
    if block.kind == 'text':
        hidden = [line for line in block.text.splitlines() if line.startswith(PROGRAMS)]
        assert not hidden, f'{block.place} shows a screen; a command stands in a block of kind sh'


@pytest.mark.parametrize(
    'block', [each for each in blocks() if each.kind == 'sh'], ids=lambda block: block.place
)
def test_what_needs_a_distribution_says_so_and_nothing_else_does(block: Block) -> None:
    needs = any(needs_distribution(command) for command in block.commands)
    assert needs == block.distribution, f'{block.place}: {block.before!r}'


@pytest.mark.slow
def test_a_page_that_names_commands_of_a_distribution_says_that_they_need_one() -> None:
    guides = [page for page in pages() if page.parent.name != 'decisions']
    for page in guides:
        text = page.read_text(encoding='utf-8')
        named = [
            span
            for span in spans()
            if span.place.startswith(f'{page.relative_to(ROOT)}:')
            if needs_distribution(span.text) and ' ' in span.text
        ]
        assert not named or re.search(r'ROS 2\sdistribution', text), named
