"""Parses a typed line into the request of its command, or says what is wrong with it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
import difflib
import json
from typing import Literal
import unicodedata

from bt_executive.client.callable_tools import variant_tools
from bt_executive.client.command_table import ALIASES, commands_of, grouped
from bt_executive.client.front_end_requests import (
    RELEASES,
    STOPS,
    ApprovalAnswer,
    Break,
    DriveManually,
    DriveToPlace,
    FrontEndRequest,
    GoalRequest,
    MemoryRequest,
    ServiceRequest,
    ShowPage,
    Step,
    SwitchFault,
    ToolRequest,
)
from bt_executive.client.typed_arguments import (
    example,
    json_object,
    node_of,
    read_answer,
    read_count,
    read_goto,
    read_switch,
    read_teleop,
    read_topic,
    read_watch,
)
from bt_executive.core.approval_and_breakpoint_rules import breakable
from bt_executive.core.stop_and_question_phrases import recognise
from rover_common.config.settings import Config
from rover_common.config.settings.injected_faults import FAULT_NODES
from rover_common.errors import UsageError
from rover_common.text_sanitizing import incoming_text

LONGEST_MEMORY = 300  # characters of a question or a name
MARKS = '!?.,;:…。、'  # that may follow a command
ABOUT_APPROVAL = (':pending', ':approve', ':edit', ':reject', ':step', ':next', ':break')
LOCAL = (':help', ':quit', ':trace', ':skills', ':cost', ':episodes')  # need no executive


class Vocabulary:
    """All commands of one configuration, by name with the colon.

    `templates`: the goals that have a name, with their labels.
    """

    def __init__(self, config: Config) -> None:
        self.tools = variant_tools(config)
        self._limits = config.executive.goal
        self.breakable = breakable(config)
        self.templates = {
            name: template.label for name, template in config.prompts.templates.items()
        }
        self.commands = commands_of(config, self.tools)
        self._by_folded_name = {_fold(name): name for name in self.commands}

    def parse(self, line: str) -> FrontEndRequest | None:
        """Return the request of a line; None for an empty one.

        Raises:
            UsageError: The command is unknown, or its arguments are invalid; the text helps.
        """
        text = incoming_text(line)
        if not text.startswith(':'):
            return self._parse_free_text(text) if text else None
        typed, arguments = _split(text)
        name = self._by_folded_name.get(_fold(typed))
        if name is None:
            raise _unknown('command', typed, self.commands, self._alias(typed))
        command = self.commands[name]
        request = command.request
        if command.arguments:
            return self._parse_arguments(request, arguments)
        is_stop = isinstance(request, ServiceRequest) and request.service in STOPS
        if arguments and not is_stop:  # a stop is not refused for what follows it
            raise UsageError(f'{name} takes nothing after it, not {arguments!r:.60}.')
        return request

    def is_free_text(self, line: str) -> bool:
        """Return whether a line is no command: a goal, or the answer to a question."""
        text = incoming_text(line)
        return bool(text) and not text.startswith(':')

    def is_about_approval(self, line: str) -> bool:
        """Return whether a line answers requests for approval, or lists them."""
        return _command_name(line) in ABOUT_APPROVAL

    def is_quit(self, line: str) -> bool:
        """Return whether a line ends the console."""
        return _command_name(line) == ':quit'

    def is_local(self, line: str) -> bool:
        """Return whether the console carries a line out without the executive."""
        return _command_name(line) in LOCAL

    def stop_or_release(self, line: str) -> str | None:
        """Return the service of `STOPS` or `RELEASES` that a line calls; None: another line."""
        try:
            request = self.parse(line)
        except UsageError:
            return None
        service = request.service if isinstance(request, ServiceRequest) else None
        return service if service in STOPS | RELEASES.keys() else None

    def is_goal_or_tool(self, line: str) -> bool:
        """Return whether a line starts a goal or a tool."""
        try:
            request = self.parse(line)
        except UsageError:
            return False
        return isinstance(request, (GoalRequest, ToolRequest))

    def replaces_goal(self, line: str) -> bool:
        """Return whether the goal of a line replaces the one that is pursued."""
        short = len(line) <= self._limits.max_chars
        return short and self.is_free_text(line) and recognise(line).kind == 'new_goal'

    def help(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """Return every command with its description, grouped by use."""
        rows = [
            (f'{name} {command.arguments}'.strip(), command.description)
            for name, command in self.commands.items()
        ]
        return grouped(rows, self.templates)

    def _alias(self, typed: str) -> str:
        """Return the command of which this is another name: :stop for :cancel; empty: none."""
        alias = _fold(typed)[1:]
        kind = recognise(alias.replace('_', ' ')).kind
        name = f':{kind}' if kind in STOPS | RELEASES.keys() else ALIASES.get(alias, '')
        return name if name in self.commands else ''

    def _parse_arguments(self, request: FrontEndRequest, text: str) -> FrontEndRequest:
        match request:
            case ApprovalAnswer(action):
                return read_answer(action, text)
            case ShowPage('trace'):
                return ShowPage('trace', read_count(text))
            case ShowPage('episodes'):
                return ShowPage('episodes', words=text)
            case ToolRequest():
                return self._parse_tool(request, text)
            case DriveToPlace(tool, destination):
                return read_goto(text, tool, destination)
            case DriveManually():
                return read_teleop(text, self.tools)
            case Step():
                return Step(read_switch('step', text))
            case Break() if text and text not in self.breakable:
                raise _unknown('breakpoint', text, self.breakable)
            case Break():
                return Break(text)
            case SwitchFault():
                _require_name('fault', text, FAULT_NODES)
                node_of(text)
                return SwitchFault(text)
            case MemoryRequest(kind):
                return self._parse_memory(kind, text)
        return request

    def _parse_tool(self, request: ToolRequest, text: str) -> ToolRequest:
        match request.name:
            case '':
                return self._parse_any_tool(text)
            case 'read_topic':
                return read_topic(text)
            case 'look' if text:
                return ToolRequest('look', json.dumps({'question': text}, ensure_ascii=False))
            case 'watch':
                return ToolRequest('watch', json.dumps(read_watch(text)))
        return request

    def _parse_memory(self, kind: Literal['recall', 'remember'], text: str) -> MemoryRequest:
        if not text:
            example = 'the layered rock' if kind == 'recall' else 'base camp'
            raise UsageError(f':{kind} needs a few words, like :{kind} {example}.')
        _check_length('The text for the memory', text, LONGEST_MEMORY)
        return MemoryRequest(kind, text)

    def _parse_free_text(self, text: str) -> GoalRequest | ServiceRequest:
        """A goal; a lone "stop", "wait" or "go on", in any language, is that command."""
        _check_length('A goal', text, self._limits.max_chars)
        kind = recognise(text).kind
        return ServiceRequest(kind) if kind in ('stop', 'pause', 'resume') else GoalRequest(text)

    def _parse_any_tool(self, text: str) -> ToolRequest:
        name, *arguments = text.split(maxsplit=1) or ['']
        _require_name('tool', name, self.tools)
        if name not in self.tools:
            raise _unknown('tool', name, self.tools)
        if not arguments:
            return ToolRequest(name)
        _check_length('The JSON of arguments', arguments[0], self._limits.max_arguments_chars)
        template = example(self.tools[name].args_schema)
        return ToolRequest(name, json_object(f':tool {name}', arguments[0], template))


def _command_name(line: str) -> str:
    text = incoming_text(line)
    return _fold(_split(text)[0]) if text.startswith(':') else ''


def _split(text: str) -> tuple[str, str]:
    """Return the command with its colon, and what follows. `text`: begins with a colon."""
    name, *arguments = text.lstrip(': ').split(maxsplit=1) or ['']
    return f':{name}', ''.join(arguments)


def _fold(name: str) -> str:
    """Fold width and case of a command, and strip punctuation at its end."""
    plain = unicodedata.normalize('NFKC', name).casefold().replace('-', '_')
    plain = ''.join(sign for sign in plain if unicodedata.category(sign)[0] not in 'CM')
    return f':{plain[1:].rstrip(MARKS)}'


def _require_name(kind: str, name: str, choices: Iterable[str]) -> None:
    if not name:
        raise UsageError(f':{kind} needs the name of a {kind}. Known {kind}s: {" ".join(choices)}')


def _check_length(what: str, text: str, limit: int) -> None:
    if len(text) > limit:
        raise UsageError(
            f'{what} has at most {limit} characters, this one has {len(text)}: shorten it.'
        )


def _unknown(kind: str, name: str, choices: Iterable[str], suggestion: str = '') -> UsageError:
    """Return the error for an unknown name. `suggestion`: empty: the most similar choice."""
    close = [suggestion] if suggestion else difflib.get_close_matches(name, choices, n=1)
    hint = f' Did you mean {close[0]}?' if close else ''
    return UsageError(f'Unknown {kind} {name!r:.80}.{hint} Known {kind}s: {" ".join(choices)}')
