"""A behaviour: waits until a part of the state has not changed for a while."""

from __future__ import annotations

from bt_executive.plugins.plugin_interfaces import Done, Facts, Failed, Options


class Settle:
    """The tool's argument `seconds` says how long. `options`: `part`, and `at_most_s`."""

    def start(self, facts: Facts, options: Options) -> None:
        """Begins to watch."""
        self._part, self._at_most_s = str(options['part']), float(options['at_most_s'])
        self._seconds = float(facts.arguments['seconds'])
        self._value: object = None
        self._since = self._began = facts.now_s

    def update(self, facts: Facts) -> Done | Failed | None:
        """Compares. A value that is not known has not settled."""
        value = facts.parts.get(self._part)
        if value is None or value != self._value:
            self._value, self._since = value, facts.now_s
        if value is not None and facts.now_s - self._since >= self._seconds:
            return Done({self._part: value})
        if facts.now_s - self._began >= self._at_most_s:
            return Failed(f'{self._part} has not settled within {self._at_most_s:g} s')
        return None

    def stop(self) -> None:
        """Has nothing to end."""
