from __future__ import annotations

from pathlib import Path

from prompt_toolkit.history import FileHistory, InMemoryHistory

from bt_executive.console.history import history_file, open_history


def test_lines_are_kept_for_the_next_session_and_for_this_user_alone(tmp_path: Path) -> None:
    environment = {'XDG_STATE_HOME': str(tmp_path)}
    open_history(environment).append_string('地面を調べて')
    again = open_history(environment)
    assert isinstance(again, FileHistory)
    assert list(again.load_history_strings()) == ['地面を調べて']
    assert history_file(environment).stat().st_mode & 0o777 == 0o600


def test_a_line_that_cannot_be_written_is_kept_for_the_session(tmp_path: Path) -> None:
    history = open_history({'XDG_STATE_HOME': str(tmp_path)})
    history_file({'XDG_STATE_HOME': str(tmp_path)}).unlink()
    history_file({'XDG_STATE_HOME': str(tmp_path)}).symlink_to('/dev/full')
    history.append_string('drive on')
    assert history.get_strings() == ['drive on']


def test_without_the_variable_the_file_is_in_the_usual_place(tmp_path: Path) -> None:
    usual = tmp_path / '.local/state/bt_executive/history'
    home = {'HOME': str(tmp_path)}
    assert history_file(home) == usual
    assert history_file({**home, 'XDG_STATE_HOME': 'relative'}) == usual


def test_where_no_file_can_be_written_the_history_lasts_for_the_session() -> None:
    assert isinstance(open_history({'XDG_STATE_HOME': '/dev/null'}), InMemoryHistory)
    assert not Path('/dev/null/bt_executive').exists()
