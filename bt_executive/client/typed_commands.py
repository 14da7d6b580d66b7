"""The commands of front ends and the parser of a typed line. Pure.

The configured variant decides which tools there are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
import difflib
import json
from typing import Literal
import unicodedata

from bt_executive.client.callable_tools import destination_tool, variant_tools
from bt_executive.client.fault_switches import node_of
from bt_executive.client.front_end_requests import (
    TRACE_EVENTS,
    Break,
    DriveManually,
    DriveToPlace,
    FrontEndRequest,
    GoalRequest,
    Help,
    MemoryRequest,
    Quit,
    ServiceRequest,
    ShowPage,
    Step,
    SwitchFault,
    ToolRequest,
)
from bt_executive.client.manual_driving import manual_motions
from bt_executive.client.typed_answers import ApprovalAnswer, json_object, read_answer
from bt_executive.client.typed_arguments import (
    example,
    one_of,
    read_count,
    read_goto,
    read_switch,
    read_teleop,
    read_topic,
    read_watch,
)
from bt_executive.core.approval_and_breakpoint_rules import breakable
from bt_executive.core.stop_and_question_phrases import recognise
from rover_common.config.settings import Config, Skill
from rover_common.config.settings.injected_faults import FAULT_NODES
from rover_common.errors import UsageError
from rover_common.incoming_text import incoming_text
from rover_common.printable import one_line

Row = tuple[str, str]  # a command with what follows it, and what it does
GOALS, ROBOT = 'Goals', 'Drive and act'
_GROUPS = (
    ('Stop and resume', 'stop pause resume safe_stop reset'),
    ('Approve, and step', 'pending approve edit reject step next break'),
    (ROBOT, 'goto teleop tool'),
    ('See and remember', 'look watch recall remember episodes'),
    ('Look things up', 'status state tree trace skills cost topic'),
    ('This console', 'help quit fault'),
)
_GROUP_OF = {f':{name}': title for title, names in _GROUPS for name in names.split()}


def grouped(rows: Sequence[Row], goals: Collection[str]) -> list[tuple[str, list[Row]]]:
    """Return the groups with their rows, each in order; `goals` are the names of templates.

    A command that no group names is a tool of this robot.
    """
    groups: dict[str, list[Row]] = {
        title: [] for title in (*(title for title, _ in _GROUPS), GOALS)
    }
    for row in rows:
        name = row[0].partition(' ')[0]
        is_goal = name[1:] in goals or name == ':demo'
        groups[GOALS if is_goal else _GROUP_OF.get(name, ROBOT)].append(row)
    return [(title, rows) for title, rows in groups.items() if rows]


DEMO_TEMPLATE = 'demo_ground_texture'
LONGEST_MEMORY = 300  # characters of a question or a name
MARKS = '!?.,;:…。、'  # that may follow a command
# What other programs call a command; `recognise` has the phrases for stop, pause and resume.
_ALIASES_OF = {
    ':quit': 'exit bye logout close q',
    ':help': 'commands usage man h',
    ':safe_stop': 'emergency emergency_stop emergencystop kill panic safe',
    ':approve': 'yes y ok accept allow confirm agree grant',
    ':reject': 'no n deny decline refuse disallow disapprove',
    ':trace': 'log logs history events',
    ':skills': 'tools abilities',
    ':reset': 'clear unlock recover',
    ':teleop': 'drive move manual joystick',
    ':goto': 'go navigate drive_to move_to navigate_to',
    ':state': 'info where pose battery',
}
_ALIASES = {alias: name for name, aliases in _ALIASES_OF.items() for alias in aliases.split()}


@dataclass(frozen=True)
class Command:
    """The request that a command makes, and its help. `arguments`: their syntax; empty: none."""

    request: FrontEndRequest
    description: str
    arguments: str = ''


STATUS = ServiceRequest('get_status')  # of the adapter, without a goal

_COMMANDS: dict[str, Command] = {
    ':help': Command(Help(), 'show this'),
    ':quit': Command(Quit(), 'stop what runs, and quit'),
    ':stop': Command(ServiceRequest('stop'), 'stop the robot, the goal and all goals that wait'),
    ':pause': Command(ServiceRequest('pause'), 'stop the robot; the goal waits'),
    ':resume': Command(ServiceRequest('resume'), 'resume after a pause'),
    ':safe_stop': Command(ServiceRequest('safe_stop'), 'stop everything until :reset'),
    ':reset': Command(ServiceRequest('reset'), 'leave SAFE; refused while the cause persists'),
    ':pending': Command(ServiceRequest('pending'), 'list the requests that wait for approval'),
    ':approve': Command(ApprovalAnswer('approve'), 'approve a request', '[ID]'),
    ':edit': Command(ApprovalAnswer('edit'), 'approve it with other arguments', '[ID] {json}'),
    ':reject': Command(ApprovalAnswer('reject'), 'reject a request', '[ID] [why]'),
    ':step': Command(Step(), 'let each proposal wait for :next', '[on or off]'),
    ':next': Command(ApprovalAnswer('approve'), 'approve the proposal that waits'),
    ':break': Command(Break(), 'set or remove a breakpoint: a tool, guard or outcome', '[NAME]'),
    ':tree': Command(ServiceRequest('show_tree'), 'show the behavior tree as it is now'),
    ':state': Command(ServiceRequest('state'), 'show what the executive knows'),
    ':trace': Command(ShowPage('trace'), f'show the last {TRACE_EVENTS} events, or N', '[N]'),
    ':skills': Command(ShowPage('skills'), 'show the tools and what each needs'),
    ':cost': Command(ShowPage('cost'), 'show what the model cost, by goal'),
    ':episodes': Command(
        ShowPage('episodes'),
        'show what was seen and said; with WORDS, what contains them',
        '[WORDS]',
    ),
    ':look': Command(ToolRequest('look'), 'look with the camera, and answer', '[QUESTION]'),
    ':watch': Command(
        ToolRequest('watch'), 'look again and again', 'on, off, every S, dark or motion'
    ),
    ':tool': Command(
        ToolRequest(''), 'run a tool by hand, under the same guards', 'NAME [{json}]'
    ),
    ':recall': Command(MemoryRequest('recall'), 'where something was seen', 'TEXT'),
    ':remember': Command(MemoryRequest('remember'), 'remember where the robot is now', 'NAME'),
    ':status': Command(STATUS, "show the adapter's status"),
    ':topic': Command(ToolRequest('read_topic'), 'show one message of a ROS topic', 'NAME'),
    ':fault': Command(SwitchFault(), 'switch a fault of the embedded rover on or off', 'NAME'),
}


STOPS = frozenset({'stop', 'safe_stop', 'pause'})  # services that wait for nothing before them
RELEASES = frozenset({'resume', 'reset'})  # services that undo a stop
ABOUT_APPROVAL = (':pending', ':approve', ':edit', ':reject', ':step', ':next', ':break')
LOCAL = (':help', ':quit', ':trace', ':skills', ':cost', ':episodes')  # need no executive


class Vocabulary:
    """All commands of one configuration.

    Attributes:
        commands: By name, with the colon.
        tools: By name.
        breakable: Names at which a breakpoint can be set.
        templates: The goals that have a name, with their labels.
    """

    def __init__(self, config: Config) -> None:
        self.tools = variant_tools(config)
        self._limits = config.executive.goal
        self.breakable = breakable(config)
        self.templates = {
            name: template.label for name, template in config.prompts.templates.items()
        }
        commands = {
            name: command
            for name, command in _COMMANDS.items()
            if tool_of(command.request) in ('', *self.tools)
        }
        if not config.has_world:
            del commands[':fault']
        if drive := destination_tool(self.tools):
            text = _first_sentence(self.tools[drive[0]].description) or 'drive to a place'
            commands[':goto'] = Command(DriveToPlace(*drive), text, 'X Y')
        for name, command in _configured_commands(self.tools):
            commands.setdefault(name, command)
        if motions := manual_motions(self.tools):
            is_timed = any(motion.duration_arg for motion in motions.values())
            syntax = one_of(motions) + (' [S]' if is_timed else '')
            commands[':teleop'] = Command(DriveManually(), 'drive by hand for a moment', syntax)
        for name, command in _tool_commands(self.tools):
            commands.setdefault(name, command)
        if DEMO_TEMPLATE in self.templates:
            commands[':demo'] = Command(GoalRequest(DEMO_TEMPLATE), 'the goal of the demo')
        for name, label in self.templates.items():
            if name != DEMO_TEMPLATE:  # that is :demo
                commands.setdefault(f':{name}', Command(GoalRequest(name), label))
        self.commands = commands
        self._by_folded_name = {_fold(name): name for name in commands}

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
        return service if service in STOPS | RELEASES else None

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
        name = f':{kind}' if kind in STOPS | RELEASES else _ALIASES.get(alias, '')
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


def _configured_commands(tools: Mapping[str, Skill]) -> Iterator[tuple[str, Command]]:
    for name, skill in tools.items():
        if skill.command:
            yield f':{skill.command.word}', Command(ToolRequest(name), skill.command.does)


def tool_of(request: FrontEndRequest) -> str:
    """Return the tool that a request needs; empty: none."""
    match request:
        case ToolRequest(name=name):
            return name
        case MemoryRequest(kind=kind):
            return kind
    return STATUS.service if request == STATUS else ''


def _tool_commands(tools: Mapping[str, Skill]) -> Iterator[tuple[str, Command]]:
    """Yield a command for each tool with a server, without arguments and without another one."""
    covered = {tool_of(command.request) for command in _COMMANDS.values()}
    for name, skill in tools.items():
        is_simple = skill.endpoint and not skill.args_schema.get('properties')
        if is_simple and not skill.command and name not in covered:
            yield f':{name}', Command(ToolRequest(name), _first_sentence(skill.description))


def _first_sentence(description: str) -> str:
    sentence = one_line(description).partition('. ')[0].rstrip('.')
    return sentence[:1].lower() + sentence[1:]


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
