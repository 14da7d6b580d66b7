"""A tool that a plug-in carries out: started, asked at every tick, stopped on every way out."""

from __future__ import annotations

from operator import methodcaller

from bt_executive.core.error_codes import CallError
from bt_executive.plugins.checked_plugin_calls import (
    LONGEST_JSON,
    PluginFault,
    answer_text,
    call,
    call_to_end,
    deep_copy,
    json_object,
    plugin_context,
)
from bt_executive.plugins.installed_plugins import load
from bt_executive.plugins.plugin_interfaces import (
    BEHAVIOURS,
    Done,
    Failed,
    PluginBehaviour,
    PluginContext,
)
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.base_leaf import Status
from bt_executive.tree.behaviours.tools.tools_without_server import InternalTool
from bt_executive.tree.context_roles import RoundAccess
from rover_common.text_sanitizing import one_line

LONGEST_REASON = 500  # characters


class PluggedBehaviour(InternalTool):
    """RUNNING while the plug-in goes on; FAILURE when it fails, raises or is too slow."""

    def __init__(self, name: str, context: RoundAccess, tool: Tool) -> None:
        super().__init__(name, context, tool)
        self._title = f'The plug-in of tool {tool.name}'
        self._make = load(BEHAVIOURS, tool.skill.behaviour)
        self._at_work: PluginBehaviour | None = None
        self._fault = ''

    def initialise(self) -> None:
        """Makes the plug-in's object and starts it."""
        self._fault, options = '', deep_copy(self.tool.skill.options)
        try:
            at_work: PluginBehaviour = call(self._title, self._make)
            self._at_work = at_work
            call(self._title, methodcaller('start', self._facts(), options), at_work)
        except PluginFault as error:
            self._fault = str(error)

    def update(self) -> Status:
        """Asks the plug-in."""
        if self._fault or self._at_work is None:
            return self.failed(CallError.FAILED, self._fault)
        try:
            answer = call(self._title, methodcaller('update', self._facts()), self._at_work)
            if answer is None:
                return self.running(f'{self.tool.name} goes on')
            if isinstance(answer, Done):
                data = call(self._title, json_object, answer.data)
                if data is not None:
                    return self.done('done', **data)
        except PluginFault as error:
            return self.failed(CallError.FAILED, str(error))
        if isinstance(answer, Failed) and isinstance(answer.reason, str):
            reason = one_line(answer.reason[:LONGEST_REASON]) or 'failed'
        elif isinstance(answer, Done):
            reason = (
                f'{self._title} is done, but its data is no JSON object of at most '
                f'{LONGEST_JSON} characters: {answer_text(self._title, answer.data)}'
            )
        else:
            gave = answer_text(self._title, answer)
            reason = f'{self._title} says {gave}, which is no Done, Failed or None'
        return self.failed(CallError.FAILED, reason)

    def terminate(self, _new_status: Status) -> None:
        """Stops the plug-in; what goes wrong then is traced."""
        at_work, self._at_work = self._at_work, None
        if at_work is None:
            return
        try:
            call_to_end(self._title, methodcaller('stop'), at_work)
        except PluginFault as error:
            self.context.tracer.emit(
                'ACT', f'While it was being stopped: {error}', tool_name=self.tool.name
            )

    def _facts(self) -> PluginContext:
        return plugin_context(self.context.guards.view_of_running())
