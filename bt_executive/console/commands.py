"""The console's words: what a line means. Pure; the variant decides which tools are offered."""

from __future__ import annotations

from dataclasses import dataclass
import difflib
from typing import TypeAlias

from bt_executive.console.approvals import Resolve, read_answer
from bt_executive.errors import UsageError
from bt_executive.settings import Config

DEMO_TEMPLATE = 'demo_ground_texture'


@dataclass(frozen=True)
class Goal:
    """Pursue this goal: the operator's words, or the name of a template."""

    text: str


@dataclass(frozen=True)
class Tool:
    """Run this one tool under the tree's guards."""

    name: str


@dataclass(frozen=True)
class Ask:
    """Ask for something that is answered at once, whatever is under way."""

    question: str  # pending, or a service of the executive: stop, pause, resume, …


@dataclass(frozen=True)
class Help:
    """Show what can be typed."""


@dataclass(frozen=True)
class Quit:
    """End the console."""


Meaning: TypeAlias = Goal | Tool | Ask | Resolve | Help | Quit

_COMMANDS: dict[str, tuple[Meaning, str]] = {
    ':help': (Help(), 'show this'),
    ':quit': (Quit(), 'stop what is under way and end'),
    ':stop': (Ask('stop'), 'stop the rover, the goal and all goals that wait'),
    ':pause': (Ask('pause'), 'stop the rover; the goal waits'),
    ':resume': (Ask('resume'), 'go on after a pause'),
    ':safe_stop': (Ask('safe_stop'), 'stop everything until :reset'),
    ':reset': (Ask('reset'), 'leave SAFE; refused while the cause stands'),
    ':tree': (Ask('show_tree'), 'show the behavior tree as it is now'),
    ':pending': (Ask('pending'), 'list the requests that wait for approval'),
    ':approve': (Resolve('approve'), 'approve a request: :approve [ID]'),
    ':edit': (Resolve('edit'), 'approve it with other arguments: :edit [ID] {"duration_s": 2}'),
    ':reject': (Resolve('reject'), 'reject a request: :reject [ID] [why]'),
    ':status': (Tool('get_status'), "the adapter's status"),
    ':cap': (Tool('capture_and_score'), 'take a picture and score it'),
    ':nudge': (Tool('move_nudge'), 'drive forward for a moment'),
    ':mast_open': (Tool('mast_open'), 'open the mast'),
    ':mast_close': (Tool('mast_close'), 'close the mast'),
    ':mast_rotate': (Tool('mast_rotate'), 'turn the mast once around'),
    ':demo': (Goal(DEMO_TEMPLATE), 'the goal of the demo'),
}


ABOUT_APPROVAL = frozenset({':pending', ':approve', ':edit', ':reject'})


class Vocabulary:
    """All commands that one configuration offers."""

    def __init__(self, config: Config) -> None:
        variant = config.executive.variant
        tools = {name for name, skill in config.skills.skills.items() if variant in skill.variants}
        self._commands = {
            word: (meaning, does)
            for word, (meaning, does) in _COMMANDS.items()
            if not isinstance(meaning, Tool) or meaning.name in tools
        }
        for name, template in config.prompts.templates.items():
            self._commands[f':{name}'] = (Goal(name), template.label)

    def meaning(self, line: str) -> Meaning | None:
        """What a line asks for; None for an empty one.

        Raises:
            UsageError: An unknown command; the text lists the known ones.
        """
        words = line.strip()
        if not words.startswith((':', '：')):  # the second one is what a Japanese keyboard writes
            return Goal(words) if words else None
        command = f':{words[1:]}'
        name, *rest = command.split(maxsplit=1)
        known_as = self._commands.get(name)
        if known_as is not None and isinstance(known_as[0], Resolve):
            return read_answer(known_as[0].action, ''.join(rest))
        if command in self._commands:
            return self._commands[command][0]
        close = difflib.get_close_matches(command, self._commands, n=1)
        hint = f' Did you mean {close[0]}?' if close else ''
        known = ' '.join(self._commands)
        raise UsageError(f'Unknown command {command!r}.{hint} Known commands: {known}')

    def is_about_approval(self, line: str) -> bool:
        """Whether a line answers requests for approval, or lists them."""
        first = line.replace('：', ':', 1).split(maxsplit=1)[:1]
        return first[0] in ABOUT_APPROVAL if first else False

    def help(self) -> list[tuple[str, str]]:
        """Every command with what it does."""
        return [(word, does) for word, (_, does) in self._commands.items()]
