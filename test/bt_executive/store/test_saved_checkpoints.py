"""What the next executive finds: everything that was open, and nothing that had ended."""

from __future__ import annotations

from pathlib import Path

from stores import (
    Change,
    a_goal,
    a_step,
    end,
    entries_of,
    event,
    goal_ended,
    one_run,
    put_all,
    said,
    saved_in,
    start,
)

from bt_executive.core.store_port import ENDS_KEPT, MESSAGES_KEPT, Saved


def saved_after(path: Path, *runs: list[Change]) -> Saved:
    """What is found after these runs; the last of them was killed."""
    *ended, killed = runs
    for changes in ended:
        one_run(path, changes)
    started = start(path)
    put_all(started.store, killed)
    folder = path.parent / 'killed'
    folder.mkdir()
    for each in path.parent.glob('j.sqlite*'):
        if not each.name.endswith('.lock'):
            (folder / each.name).write_bytes(each.read_bytes())
    end(started.store)
    saved = saved_in(folder / path.name)
    assert saved is not None
    return saved


def test_a_new_store_has_nothing_to_resume(tmp_path: Path) -> None:
    assert saved_in(tmp_path / 'j.sqlite') is None


def test_the_latest_checkpoint_of_each_part_is_found(tmp_path: Path) -> None:
    changes = [Change({'mode': n, 'leases': {'base': f'call-{n}'}}) for n in range(5)]
    saved = saved_after(tmp_path / 'j.sqlite', [*changes, Change({'leases': None})])
    assert saved.parts == {'mode': 4}
    assert (saved.run, saved.run_id, saved.ended) == (1, 'r', '')


def test_goals_are_found_with_what_they_have_come_to(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    saved = saved_after(path, [*a_goal('done'), goal_ended('done'), *a_goal('g'), *a_step('g')])
    assert saved.parts['goals'] == {'order': ['g'], 'active': 'g', 'clock_was': {}}
    assert saved.parts['goal/g']['goal'] == 'the words of g'
    assert saved.parts['progress/g']['distance_m'] == 0.5
    assert [step['proposal']['tool'] for step in saved.steps['g']] == ['look', 'look']
    assert 'goal/done' not in saved.parts


def test_a_later_run_finds_what_an_earlier_one_left(tmp_path: Path) -> None:
    saved = saved_after(tmp_path / 'j.sqlite', a_goal('g'), [], [Change({'mode': 1})])
    assert saved.parts['goals']['order'] == ['g']
    assert saved.run == 3


def test_the_latest_messages_and_ends_are_found(tmp_path: Path) -> None:
    goals = [each for n in range(30) for each in (*a_goal(f'g{n}'), goal_ended(f'g{n}'))]
    saved = saved_after(tmp_path / 'j.sqlite', [*(said(f'{n}') for n in range(30)), *goals])
    assert [each['content'] for each in saved.messages] == [
        f'{n}' for n in range(30 - MESSAGES_KEPT, 30)
    ]
    assert [each['data']['task_id'] for each in saved.ends] == [
        f'g{n}' for n in range(30 - ENDS_KEPT, 30)
    ]


def test_a_fresh_start_resumes_nothing_and_ends_the_goals_that_it_leaves(tmp_path: Path) -> None:
    path = tmp_path / 'j.sqlite'
    one_run(path, [*a_goal('g'), Change({'calls': [1], 'mode': {'safety_reason': 'tilt'}})])
    assert saved_in(path, fresh=True) is None
    after = saved_in(path)
    assert after is not None
    assert after.parts == {}
    assert after.ended == 'done'
    (ended,) = (each for each in entries_of(path) if each.goal_end is not None)
    assert (ended.goal_id, ended.goal_end) == ('g', 'interrupted')
    assert ended.value['data']['goal_ended'] == {
        'outcome': 'interrupted', 'answer': 'Started fresh', 'goal': 'the words of g',
    }  # fmt: skip
    assert [each['data']['task_id'] for each in after.ends] == ['g']


def test_ros_time_is_that_of_the_latest_checkpoint(tmp_path: Path) -> None:
    saved = saved_after(tmp_path / 'j.sqlite', [Change({'mode': 1}), event('e')])
    assert saved.ros_s == 10.0
