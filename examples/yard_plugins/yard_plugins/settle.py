"""A behaviour: waits until a part of the state has not changed for a while."""

from __future__ import annotations

from bt_executive.plugins.plugin_interfaces import Done, Failed, Options, PluginContext


class Settle:
    """Argument of the tool: `seconds`, how long. `options`: `part`, and `at_most_s`."""

    def start(self, context: PluginContext, options: Options) -> None:
        """Starts to watch the part."""
        self._part, self._at_most_s = str(options['part']), float(options['at_most_s'])
        self._seconds = float(context.arguments['seconds'])
        self._value: object = None
        self._since = self._started_at = context.now_s

    def update(self, context: PluginContext) -> Done | Failed | None:
        """Compares the value. An unknown one has not settled."""
        value = context.parts.get(self._part)
        if value is None or value != self._value:
            self._value, self._since = value, context.now_s
        if value is not None and context.now_s - self._since >= self._seconds:
            return Done({self._part: value})
        if context.now_s - self._started_at >= self._at_most_s:
            return Failed(f'{self._part} has not settled within {self._at_most_s:g} s')
        return None

    def stop(self) -> None:
        """Has nothing to end."""
