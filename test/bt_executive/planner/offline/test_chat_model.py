"""What the offline model's own faults are called."""

from __future__ import annotations

from langchain_core.messages import HumanMessage
from offline_tools import offline_model
import pytest

from bt_executive.planner.offline import chat_model
from rover_common.llm.model_errors import ModelError


def test_a_fault_of_its_own_is_no_answer_of_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was told as a message without choices, and asked for four times."""

    def broken(*_: object) -> None:
        raise IndexError('list index out of range')

    monkeypatch.setattr(chat_model, 'decide', broken)
    with pytest.raises(ModelError, match='a fault of its own: IndexError: list index') as raised:
        offline_model().invoke([HumanMessage('drive 1 m')])
    assert not raised.value.again
