"""What a call that waits for approval would come to if it were changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from bt_executive.skills.call_effect import describe_call
from bt_executive.skills.tool_registry import Registry, Tool
from bt_executive.view.current_view import CurrentView
from rover_common.config.settings import Config
from rover_common.errors import ConfigError, UsageError
from rover_common.printable import one_line


class ChangedCalls:
    """Reads changes of the calls that wait now.

    Args:
        config: Has the tools.
        current: What is known at this moment.
    """

    def __init__(self, config: Config, current: Callable[[], CurrentView]) -> None:
        self._config = config
        self._current = current

    @cached_property
    def _tools(self) -> Mapping[str, Tool]:
        try:
            return Registry(self._config)
        except ConfigError:  # of this server; the executive has its own
            return {}

    def in_words(self, request_id: str, arguments: Mapping[str, Any]) -> str:
        """Return what a request's call comes to with other arguments; empty: they say it all.

        Raises:
            UsageError: The request does not wait, or the executive would refuse these arguments.
        """
        current = self._current()
        waiting = {each.get('id'): each for each in current.requests}
        if request_id not in waiting:
            raise UsageError('This request does not wait any more.')
        tool = self._tools.get(str(waiting[request_id].get('tool')))
        if tool is None:
            return ''
        given = tool.given(arguments)
        refused = tool.refuse_arguments(given)
        if refused is not None:
            raise UsageError(refused.sentence)
        pose = current.state.robot.shown_pose if current.state else None
        return one_line(describe_call(tool, tool.effective(given), pose))
