"""The libraries of language models are loaded at the first goal, and not before."""

from __future__ import annotations

import gc
import subprocess
import sys
from typing import Any

from planner_world import next_output
import pytest

from bt_executive.core.executive_ports import Notice, PlannerContext, PlannerFailure
from bt_executive.planner import rosa_planner
from bt_executive.planner.configured_planner import make_planner
from bt_executive.planner.planner_run import RunCancelled
from bt_executive.planner.rosa_planner import (
    RosaPlanner,
    garbage_collection_paused,
    load_libraries,
)
from rover_common.config.load import load_config
from rover_common.extras import how_to_install
from rover_common.llm.model_source import ModelSource

KEY = 'sk-secret'


@pytest.fixture(scope='module', autouse=True)
def nothing_to_collect() -> None:
    """What is left out of collections here is no garbage of earlier tests."""
    gc.collect()


@pytest.mark.process
def test_without_a_goal_none_is_loaded_and_the_base_needs_no_package_of_an_extra() -> None:
    code = f"""
import os, sys
from importlib import import_module
LEFT_OUT = [
    'cv2', 'langchain', 'langchain_core', 'langchain_openai', 'langsmith', 'mss', 'openai', 'rosa'
]
import bt_executive.ros.executive_node
from bt_executive.planner import configured_planner
from rover_common.config.load import load_config
configured_planner.check_provider = lambda settings, warn: configured_planner.ModelInfo('')
os.environ['OPENAI_API_KEY'] = 'none'
for provider, more in ('offline', ['httpx']), ('openai', []):
    overrides = [f'planner.provider={{provider}}', 'planner.model=none']
    configured_planner.make_planner(load_config(overrides=overrides), lambda: None).close()
    others = [*{rosa_planner.LIBRARIES}, *LEFT_OUT, *more]
    print([each for each in others if each in sys.modules])

class LeftOut:
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in LEFT_OUT:
            raise ModuleNotFoundError(f'No module named {{name!r}}', name=name)
sys.meta_path.insert(0, LeftOut())
from bt_executive.launching.system_processes import NODES
for node in NODES:
    if node.extra not in ('rover', 'vision'):
        import_module(node.module)
for each in (
    'cli', 'console.console_event_loop_and_queue', 'launching.start_checks',
    'replay.replay_of_process', 'report.report_html',
):
    import_module(f'bt_executive.{{each}}')
"""
    done = subprocess.run(
        [sys.executable, '-c', code], capture_output=True, text=True, check=False
    )
    assert done.stdout == '[]\n[]\n', done.stderr
    assert done.returncode == 0, done.stderr


def test_every_piece_can_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rosa_planner, 'AGENT', 'not loaded')
    load_libraries(lambda: None)
    assert set(rosa_planner.LIBRARIES) <= sys.modules.keys()


def test_a_cancelled_goal_is_let_go_between_two_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rosa_planner, 'AGENT', 'not loaded')
    monkeypatch.setattr(rosa_planner, 'LIBRARIES', ('this', 'antigravity'))
    monkeypatch.delitem(sys.modules, 'this', raising=False)
    checks = iter([None, RunCancelled()])

    def check() -> None:
        if fault := next(checks):
            raise fault

    with pytest.raises(RunCancelled):
        load_libraries(check)
    assert 'this' in sys.modules
    assert 'antigravity' not in sys.modules
    assert gc.isenabled()


@pytest.mark.slow
def test_nothing_is_collected_while_it_loads_and_what_is_loaded_is_left_out_later() -> None:
    with garbage_collection_paused():
        assert not gc.isenabled()
        lasting: list[object] = [[]]
    assert gc.isenabled()
    assert not any(each is lasting for each in gc.get_objects())


@pytest.mark.slow
def test_without_the_libraries_a_goal_fails_with_what_to_type(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        rosa_planner, 'missing_modules', lambda extra: ('rosa',) if extra == 'rosa' else ()
    )
    planner = make_planner(load_config(), lambda: None)
    (told,) = planner.news()
    planner.start('What is your status?', PlannerContext(()))
    output = next_output(planner)
    planner.close()
    assert isinstance(output, PlannerFailure)
    assert how_to_install('rosa') in output.reason
    assert isinstance(told, Notice)
    assert told.sentence == output.reason


@pytest.mark.slow
def test_a_model_that_cannot_be_made_fails_the_goal_without_the_key() -> None:
    def make() -> Any:
        raise ValueError(f'api_key={KEY} is refused')

    planner = RosaPlanner(ModelSource('openai', make, KEY), load_config(), lambda: None)
    planner.start('What is your status?', PlannerContext(()))
    output = next_output(planner)
    planner.close()
    assert isinstance(output, PlannerFailure)
    assert 'is refused' in output.reason
    assert KEY not in output.reason
