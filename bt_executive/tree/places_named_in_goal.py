"""The places in a goal's history with their origins. Each result is read once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bt_executive.core.drive_destinations import (
    AllowedDestinations,
    OfferedPlace,
    confirmed,
    offered_in,
    places_in,
    visited_in,
)
from bt_executive.core.executive_ports import Proposal, ToolResult
from bt_executive.skills.tool_registry import Registry
from bt_executive.tree.goal_progress import GoalProgress
from rover_common.config.settings import Config
from rover_common.dataclass_replace import replace

ASK_OPERATOR = 'ask_operator'  # the tool by which the operator is asked
READ_TOPIC = 'read_topic'  # the tool that shows what anybody publishes


class NamedPlaces:
    """Reads the history of the active goal, which only grows.

    Args:
        config: Has the names of the services whose results have texts.
        registry: The tools.
    """

    def __init__(self, config: Config, registry: Registry) -> None:
        self._config, self._registry = config, registry
        self._made_for = ('', 0.0)
        self._progress: GoalProgress | None = None
        self._read_steps = 0
        self._offered: tuple[OfferedPlace, ...] = ()  # by recalls without a certain result
        self._found = AllowedDestinations(by_operator=False)

    def of(self, operator_text: str, progress: GoalProgress, near_m: float) -> AllowedDestinations:
        """Returns the places with a known origin so far.

        `operator_text`: the goal, if the operator has sent it, else empty; `near_m`: see
        `AllowedDestinations`.
        """
        if (operator_text, near_m) != self._made_for or progress is not self._progress:
            self._made_for, self._progress, self._read_steps = (operator_text, near_m), progress, 0
            self._offered = ()
            self._found = AllowedDestinations(
                by_operator=False,
                operator_texts=(operator_text,),
                visited=progress.began_at,
                near_m=near_m,
            )
        for proposal, result in progress.history[self._read_steps :]:
            self._apply(proposal, result)
        self._read_steps = len(progress.history)
        return self._found

    def brings_text(self, name: str) -> bool:
        """Returns whether a tool's result has texts of unknown origin, also if it fails.

        That of a composite has the results of its members.
        """
        return self._brings_text(name) or any(map(self.brings_text, self._members(name)))

    def _brings_text(self, name: str) -> bool:
        tool, topics = self._registry.get(name), self._config.topics
        if tool is None or tool.endpoint is None:
            return name == READ_TOPIC or self._recalls(name)
        return self._recalls(name) or tool.endpoint.name in {
            topics.vision.look.name,
            topics.vision.look_at_screen.name,
            topics.memory.look.name,
        }

    def any_brings_text(self, history: Iterable[tuple[Proposal, ToolResult]]) -> bool:
        """Returns whether a goal's history has texts of unknown origin."""
        return any(self.brings_text(proposal.tool) for proposal, _ in history)

    def _apply(self, proposal: Proposal, result: ToolResult) -> None:
        found, tool = self._found, proposal.tool
        if not found.has_read and self.brings_text(tool):
            found = replace(found, has_read=True)
        if tool == ASK_OPERATOR:
            answer = str(result.data.get('answer', ''))
            found = replace(found, operator_texts=(*found.operator_texts, answer))
            accepted = confirmed(
                self._offered, str(proposal.arguments.get('question', '')), answer
            )
            found = replace(found, remembered=(*found.remembered, *accepted))
        if self._recalls(tool):
            self._offered += () if result.ok else tuple(offered_in(result.data))
            places = tuple(places_in(result.data)) if result.ok else visited_in(result.data)
            found = replace(found, remembered=(*found.remembered, *places))
        self._found = found
        for member in self._members(tool):
            data = result.data.get(member)
            if isinstance(data, Mapping):
                self._apply(Proposal(proposal.call_id, member, {}), ToolResult(True, data=data))

    def _members(self, name: str) -> tuple[str, ...]:
        tool = self._registry.get(name)
        calls = tool.skill.plan.calls() if tool is not None and tool.skill.plan else ()
        return tuple(dict.fromkeys(call.tool for call in calls))

    def _recalls(self, name: str) -> bool:
        """Returns whether a tool's result comes from the memory."""
        tool = self._registry.get(name)
        if tool is None or tool.endpoint is None:
            return tool is not None and bool(tool.skill.steps)
        return tool.endpoint.name == self._config.topics.memory.recall.name
