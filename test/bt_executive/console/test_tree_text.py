"""`:tree` at a terminal: the most telling rows, in colours, never more than the screen has."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bt_executive.console.tree_text import in_colours

TREE = """[o] Act by priority [*]
    [-] Stay safe [✕]
        --> Safety event? [✕] -- no
    [-] Pursue the goal [*]
        --> Check the proposal [✕] -- Need to close mast
        --> Run the tool [*] -- 2 s left
        --> Take stock [-]"""


def test_with_room_every_row_is_there() -> None:
    lines = in_colours(TREE, 20)
    assert [line.plain for line in lines] == TREE.splitlines()
    assert any('cyan' in str(span.style) for span in lines[0].spans)


def test_what_has_nothing_to_say_goes_first_and_a_refusal_stays() -> None:
    text = '\n'.join(line.plain for line in in_colours(TREE, 5))
    assert 'Need to close mast' in text
    assert 'Run the tool' in text
    assert 'Take stock' not in text
    assert 'Safety event?' not in text
    assert '3 more rows' in text


def test_what_was_not_reached_goes_before_its_branch_whatever_it_said_once() -> None:
    old = '        --> Call /capture [-] -- done'
    lines = [*TREE.splitlines(), '    [-] Learn [-] -- learned', old, '    --> Idle [*] -- waits']
    text = [line.plain for line in in_colours('\n'.join(lines), len(lines) - 1)]
    assert old not in text
    assert '    [-] Learn [-] -- learned' in text
    assert '    --> Idle [*] -- waits' in text


@given(st.lists(st.sampled_from(TREE.splitlines()), max_size=60), st.integers(2, 30))
def test_there_are_never_more_rows_than_the_screen_has(lines: list[str], rows: int) -> None:
    assert len(in_colours('\n'.join(lines), rows)) <= rows
