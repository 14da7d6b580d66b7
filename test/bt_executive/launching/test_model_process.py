"""The process of a model of llama.cpp, with a stand-in for llama.cpp."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
import signal
from typing import Any

import pytest

from bt_executive.launching import model_process
from rover_common.llm.gguf_file_head import Gguf
from rover_common.llm.gguf_model_server import NICENESS, LocalModel
from rover_common.process.process_end import ENDING_SIGNALS, UNUSABLE

pytestmark = pytest.mark.ros  # its options are read where those of nodes are
MODEL = LocalModel(Path('tiny.gguf'), Gguf(1_000_000, 'Tiny', 4096, 10, 3, ''), 2048)
ARGUMENTS = ['--set', 'planner.provider=llamacpp', '--set', 'planner.model=tiny.gguf']


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_it_serves_until_it_is_to_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    served: list[Any] = []
    niceness: list[int] = []

    def serve(*asked: Any) -> object:
        served.append(asked)
        signal.raise_signal(signal.SIGTERM)
        return object()

    monkeypatch.setattr('sys.argv', ['model', *ARGUMENTS, '--ros-args', '-r', '__ns:=/x'])
    monkeypatch.setattr(model_process, 'local_model', lambda _settings: MODEL)
    monkeypatch.setattr(model_process, 'serve', serve)
    monkeypatch.setattr('os.nice', niceness.append)
    model_process.main()
    assert served == [(MODEL, 'http://127.0.0.1:18091/v1')]
    assert niceness == [NICENESS]  # ticks and heartbeats come first
    said = capsys.readouterr().out
    assert 'tiny.gguf (1 MB), 2048 tokens of context' in said


def test_without_weights_it_is_not_started_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr('sys.argv', ['model', *ARGUMENTS])
    with pytest.raises(SystemExit) as caught:
        model_process.main()
    assert caught.value.code == UNUSABLE
    assert "'tiny.gguf', which is no file" in capsys.readouterr().err
