"""Who has named places in a goal, from its history. Each result is looked at once."""

from __future__ import annotations

from collections.abc import Iterable

from bt_executive.core.allowed_destinations import (
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
    """Follows the history of one goal after the other: it only grows.

    Args:
        config: Names of the services that bring words.
        registry: The tools.
    """

    def __init__(self, config: Config, registry: Registry) -> None:
        self._config, self._registry = config, registry
        self._asked = ('', 0.0)
        self._progress: GoalProgress | None = None
        self._looked_at = 0
        self._offered: tuple[OfferedPlace, ...] = ()  # by recalls that found nothing for sure
        self._found = AllowedDestinations(by_operator=False)

    def of(
        self, operator_texts: str, progress: GoalProgress, near_m: float
    ) -> AllowedDestinations:
        """Who has named places so far.

        `said`: the goal, if these are the operator's words, else empty; `near_m`: how near is.
        """
        if (operator_texts, near_m) != self._asked or progress is not self._progress:
            self._asked, self._progress, self._looked_at = (operator_texts, near_m), progress, 0
            self._offered = ()
            self._found = AllowedDestinations(
                by_operator=False,
                operator_texts=(operator_texts,),
                visited=progress.began_at,
                near_m=near_m,
            )
        for proposal, result in progress.history[self._looked_at :]:
            self._apply(proposal, result)
        self._looked_at = len(progress.history)
        return self._found

    def brings_text(self, name: str) -> bool:
        """Whether a tool gives words that strangers may have written, also where it fails."""
        tool, topics = self._registry.get(name), self._config.topics
        if tool is None or tool.endpoint is None:
            return name == READ_TOPIC or self._recalls(name)
        return self._recalls(name) or tool.endpoint.name in {
            topics.vision.look.name,
            topics.vision.look_at_screen.name,
            topics.memory.look.name,
        }

    def any_brings_text(self, history: Iterable[tuple[Proposal, ToolResult]]) -> bool:
        """Return whether a goal's history has words that strangers may have written."""
        return any(self.brings_text(proposal.tool) for proposal, _ in history)

    def _apply(self, proposal: Proposal, result: ToolResult) -> None:
        found, tool = self._found, proposal.tool
        if not found.has_read and self.brings_text(tool):
            found = replace(found, has_read=True)
        if tool == ASK_OPERATOR:
            answer = str(result.data.get('answer', ''))
            found = replace(found, operator_texts=(*found.operator_texts, answer))
            agreed = confirmed(self._offered, str(proposal.arguments.get('question', '')), answer)
            found = replace(found, remembered=(*found.remembered, *agreed))
        if self._recalls(tool):
            self._offered += () if result.ok else tuple(offered_in(result.data))
            places = tuple(places_in(result.data)) if result.ok else visited_in(result.data)
            found = replace(found, remembered=(*found.remembered, *places))
        self._found = found

    def _recalls(self, name: str) -> bool:
        """Whether a tool gives what the memory has."""
        tool = self._registry.get(name)
        if tool is None or tool.endpoint is None:
            return tool is not None and bool(tool.skill.steps)
        return tool.endpoint.name == self._config.topics.memory.recall.name
