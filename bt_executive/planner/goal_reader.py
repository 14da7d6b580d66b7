"""Finds the acts that goals ask for, each in its own thread: the sentence encoder is slow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
import itertools

from bt_executive.core.executive_ports import PendingResult, ToolOffer
from bt_executive.core.requested_acts import RequestedActs
from bt_executive.planner.prompt_toolset_and_result_text import openai_tools
from rover_common.config.robot_examples import RobotExamples
from rover_common.llm.model_errors import ModelError
from rover_common.process.threads import describe_error, make_thread


class ExampleReader:
    """Implements `GoalReader` by the examples of the robot's tools.

    Args:
        wake: Called from a thread when a reading has its result.
    """

    def __init__(self, examples: RobotExamples, wake: Callable[[], None]) -> None:
        self._examples, self._wake = examples, wake
        self._numbers = itertools.count(1)

    def read(self, goal: str, toolset: Sequence[ToolOffer]) -> PendingResult[RequestedActs]:
        """See `GoalReader.read`."""
        reading = PendingResult[RequestedActs]()

        def end(result: RequestedActs) -> None:
            reading.result = result
            self._wake()

        make_thread(
            lambda: end(read_goal(goal, toolset, self._examples)),
            f'goal-reader-{next(self._numbers)}',
            lambda fault: end(RequestedActs(unknown=describe_error(fault))),
        ).start()
        return reading


def read_goal(goal: str, toolset: Sequence[ToolOffer], examples: RobotExamples) -> RequestedActs:
    """Return the acts that a goal asks for; blocks, the first time for 2 s of computing."""
    from bt_executive.planner.offline.acts_in_text import MOST_CHARACTERS, asked_acts
    from bt_executive.planner.offline.offered_tools import tools_by_name

    if len(goal) > MOST_CHARACTERS:
        return RequestedActs(unknown=f'it has more than {MOST_CHARACTERS} characters')
    tools = tools_by_name(openai_tools(toolset), replace(examples, model=''), {})
    try:
        return RequestedActs(asked_acts(goal, tools, examples.no_tool))
    except ModelError as error:
        return RequestedActs(unknown=str(error).rstrip('.'))
