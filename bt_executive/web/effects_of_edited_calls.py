"""What a call that waits for approval would do after an edit on the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from bt_executive.skills.call_effect import describe_call
from bt_executive.skills.tool_registry import Registry, Tool
from bt_executive.view.current_presence_events_and_scores import CurrentView
from rover_common.config.settings import Config
from rover_common.errors import ConfigError, UsageError
from rover_common.text_sanitizing import one_line


class ChangedCalls:
    """Describes edits of the waiting calls."""

    def __init__(self, config: Config, current: Callable[[], CurrentView]) -> None:
        self._config = config
        self._current = current

    @cached_property
    def _tools(self) -> Mapping[str, Tool]:
        try:
            return Registry(self._config)
        except ConfigError:  # of this server; the executive has its own configuration
            return {}

    def describe(self, request_id: str, arguments: Mapping[str, Any]) -> str:
        """Return the effect of a request's call with other arguments; empty: not known.

        Raises:
            UsageError: The request does not wait, or the arguments are invalid.
        """
        current = self._current()
        requests = {request.get('id'): request for request in current.requests}
        if request_id not in requests:
            raise UsageError('This request does not wait any more.')
        tool = self._tools.get(str(requests[request_id].get('tool')))
        if tool is None:
            return ''
        given = tool.given(arguments)
        refused = tool.refuse_arguments(given)
        if refused is not None:
            raise UsageError(refused.sentence)
        pose = current.state.robot.shown_pose if current.state else None
        return one_line(describe_call(tool, tool.effective(given), pose))
