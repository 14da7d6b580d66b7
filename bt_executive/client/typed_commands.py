"""The words of front ends: what a line means. Pure; the variant decides which tools there are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
import difflib
import json
from typing import Literal
import unicodedata

from bt_executive.client.callable_tools import offered, tool_to_a_place
from bt_executive.client.fault_switches import node_of
from bt_executive.client.front_end_requests import (
    TRACE_EVENTS,
    Ask,
    Break,
    DriveByHand,
    DriveToPlace,
    GoalRequest,
    Help,
    Look,
    Meaning,
    MemoryRequest,
    Quit,
    Step,
    SwitchFault,
    ToolRequest,
)
from bt_executive.client.manual_driving import motions_by_hand
from bt_executive.client.typed_answers import Resolve, json_object, read_answer
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
from bt_executive.core.breakpoints import breakable
from bt_executive.core.stop_and_pause_phrases import recognise
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
_GROUP_OF = {f':{word}': title for title, words in _GROUPS for word in words.split()}


def grouped(rows: Sequence[Row], goals: Collection[str]) -> list[tuple[str, list[Row]]]:
    """Return the groups with their rows, each in order; `goals` are the names of templates.

    A command that no group names is a tool of this robot.
    """
    titles = [*(title for title, _ in _GROUPS), GOALS]
    found: dict[str, list[Row]] = {title: [] for title in titles}
    for row in rows:
        word = row[0].partition(' ')[0]
        is_goal = word[1:] in goals or word == ':demo'
        found[GOALS if is_goal else _GROUP_OF.get(word, ROBOT)].append(row)
    return [(title, rows) for title, rows in found.items() if rows]


DEMO_TEMPLATE = 'demo_ground_texture'
LONGEST_MEMORY = 300  # characters of a question or a name
MARKS = '!?.,;:…。、'  # that may stand behind a command
# What other programs call a command. `recognise` knows the words for stop, pause and resume.
_ELSEWHERE = {
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
_MEANT = {word: command for command, words in _ELSEWHERE.items() for word in words.split()}


@dataclass(frozen=True)
class Command:
    """What a word means, what can follow it, and what it does in a few words."""

    meaning: Meaning
    does: str
    takes: str = ''


STATUS = Ask('get_status')  # the adapter's, at once: no goal

_COMMANDS: dict[str, Command] = {
    ':help': Command(Help(), 'show this'),
    ':quit': Command(Quit(), 'stop what runs, and quit'),
    ':stop': Command(Ask('stop'), 'stop the robot, the goal and all goals that wait'),
    ':pause': Command(Ask('pause'), 'stop the robot; the goal waits'),
    ':resume': Command(Ask('resume'), 'resume after a pause'),
    ':safe_stop': Command(Ask('safe_stop'), 'stop everything until :reset'),
    ':reset': Command(Ask('reset'), 'leave SAFE; refused while the cause persists'),
    ':pending': Command(Ask('pending'), 'list the requests that wait for approval'),
    ':approve': Command(Resolve('approve'), 'approve a request', '[ID]'),
    ':edit': Command(Resolve('edit'), 'approve it with other arguments', '[ID] {json}'),
    ':reject': Command(Resolve('reject'), 'reject a request', '[ID] [why]'),
    ':step': Command(Step(), 'let each proposal wait for :next', '[on or off]'),
    ':next': Command(Resolve('approve'), 'approve the proposal that waits'),
    ':break': Command(Break(), 'set or remove a breakpoint: a tool, guard or outcome', '[NAME]'),
    ':tree': Command(Ask('show_tree'), 'show the behavior tree as it is now'),
    ':state': Command(Ask('state'), 'show what the executive knows'),
    ':trace': Command(Look('trace'), f'show the last {TRACE_EVENTS} events, or N', '[N]'),
    ':skills': Command(Look('skills'), 'show the tools and what each needs'),
    ':cost': Command(Look('cost'), 'show what the model cost, by goal'),
    ':episodes': Command(
        Look('episodes'), 'show what was seen and said; with WORDS, what contains them', '[WORDS]'
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


STOPS = frozenset({'stop', 'safe_stop', 'pause'})  # questions that let nothing wait before them
RELEASES = frozenset({'resume', 'reset'})  # questions that take back what a stop did
ABOUT_APPROVAL = (':pending', ':approve', ':edit', ':reject', ':step', ':next', ':break')
LOCAL = (':help', ':quit', ':trace', ':skills', ':cost', ':episodes')  # need no executive


class Vocabulary:
    """All commands that one configuration offers.

    Attributes:
        commands: By their word, with its colon.
        tools: By name.
        breakable: Names at which a breakpoint can be.
        templates: The goals that can be called by a name, with their labels.
    """

    def __init__(self, config: Config) -> None:
        self.tools = offered(config)
        self._bounds = config.executive.goal
        self.breakable = breakable(config)
        self.templates = {name: each.label for name, each in config.prompts.templates.items()}
        own = {
            word: command
            for word, command in _COMMANDS.items()
            if tool_of(command.meaning) in ('', *self.tools)
        }
        if not config.has_world:
            del own[':fault']
        if to_a_place := tool_to_a_place(self.tools):
            does = _first_sentence(self.tools[to_a_place[0]].description) or 'drive to a place'
            own[':goto'] = Command(DriveToPlace(*to_a_place), does, 'X Y')
        configured = dict(_configured(self.tools))
        own |= {word: each for word, each in configured.items() if word not in own}
        if by_hand := motions_by_hand(self.tools):
            takes = one_of(by_hand) + (' [S]' if any(m.seconds for m in by_hand.values()) else '')
            own[':teleop'] = Command(DriveByHand(), 'drive by hand for a moment', takes)
        of_tools = _of_tools(self.tools)
        self.commands = own | {word: of_tools[word] for word in of_tools if word not in own}
        if DEMO_TEMPLATE in self.templates:
            self.commands[':demo'] = Command(GoalRequest(DEMO_TEMPLATE), 'the goal of the demo')
        for name, label in self.templates.items():
            if name != DEMO_TEMPLATE:  # that is :demo
                self.commands.setdefault(f':{name}', Command(GoalRequest(name), label))
        self._spelled = {_folded(word): word for word in self.commands}

    def meaning(self, line: str) -> Meaning | None:
        """What a line asks for; None for an empty one.

        Raises:
            UsageError: An unknown command, or one that is written otherwise; the text helps.
        """
        words = incoming_text(line)
        if not words.startswith(':'):
            return self._in_plain_words(words) if words else None
        typed, rest = _split(words)
        word = self._spelled.get(_folded(typed))
        if word is None:
            raise _unknown('command', typed, self.commands, self._meant(typed))
        command = self.commands[word]
        if command.takes:
            return self._read(command.meaning, rest)
        is_stop = isinstance(command.meaning, Ask) and command.meaning.question in STOPS
        if rest and not is_stop:  # a stop is not refused for what follows it
            raise UsageError(f'{word} takes nothing after it, not {rest!r:.60}.')
        return command.meaning

    def is_plain(self, line: str) -> bool:
        """Whether a line is in the operator's own words: a goal, or the answer to a question."""
        words = incoming_text(line)
        return bool(words) and not words.startswith(':')

    def is_about_approval(self, line: str) -> bool:
        """Whether a line answers requests for approval, or lists them."""
        return _command(line) in ABOUT_APPROVAL

    def is_quit(self, line: str) -> bool:
        """Whether a line ends the console."""
        return _command(line) == ':quit'

    def is_local(self, line: str) -> bool:
        """Whether the console carries a line out without the executive."""
        return _command(line) in LOCAL

    def order(self, line: str) -> str | None:
        """The question of `STOPS` or `RELEASES` that a line asks; None if it is another line."""
        try:
            meaning = self.meaning(line)
        except UsageError:
            return None
        question = meaning.question if isinstance(meaning, Ask) else None
        return question if question in STOPS | RELEASES else None

    def starts(self, line: str) -> bool:
        """Whether a line has the robot do something: a goal, or a tool by hand."""
        try:
            meaning = self.meaning(line)
        except UsageError:
            return False
        return isinstance(meaning, (GoalRequest, ToolRequest))

    def replaces_goal(self, line: str) -> bool:
        """Whether a line says that its goal takes the place of the one under way."""
        short = len(line) <= self._bounds.max_chars
        return short and self.is_plain(line) and recognise(line).kind == 'new_goal'

    def help(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """Every command with what it does, by use."""
        known = self.commands.items()
        rows = [(f'{word} {each.takes}'.strip(), each.does) for word, each in known]
        return grouped(rows, self.templates)

    def _meant(self, typed: str) -> str:
        """The command that another word means, such as :stop for :cancel; empty: none."""
        word = _folded(typed)[1:]
        kind = recognise(word.replace('_', ' ')).kind
        meant = f':{kind}' if kind in STOPS | RELEASES else _MEANT.get(word, '')
        return meant if meant in self.commands else ''

    def _read(self, meaning: Meaning, rest: str) -> Meaning:
        match meaning:
            case Resolve(action):
                return read_answer(action, rest)
            case Look('trace'):
                return Look('trace', read_count(rest))
            case Look('episodes'):
                return Look('episodes', words=rest)
            case ToolRequest():
                return self._read_tool(meaning, rest)
            case DriveToPlace(tool, place):
                return read_goto(rest, tool, place)
            case DriveByHand():
                return read_teleop(rest, self.tools)
            case Step():
                return Step(read_switch('step', rest))
            case Break() if rest and rest not in self.breakable:
                raise _unknown('breakpoint', rest, self.breakable)
            case Break():
                return Break(rest)
            case SwitchFault():
                _refuse_nameless('fault', rest, FAULT_NODES)
                node_of(rest)
                return SwitchFault(rest)
            case MemoryRequest(kind):
                return self._about_memory(kind, rest)
        return meaning

    def _read_tool(self, meaning: ToolRequest, rest: str) -> ToolRequest:
        match meaning.name:
            case '':
                return self._tool(rest)
            case 'read_topic':
                return read_topic(rest)
            case 'look' if rest:
                return ToolRequest('look', json.dumps({'question': rest}, ensure_ascii=False))
            case 'watch':
                return ToolRequest('watch', json.dumps(read_watch(rest)))
        return meaning

    def _about_memory(self, kind: Literal['recall', 'remember'], rest: str) -> MemoryRequest:
        if not rest:
            example = 'the layered rock' if kind == 'recall' else 'base camp'
            raise UsageError(f':{kind} needs a few words, like :{kind} {example}.')
        _refuse_longer('The text for the memory', rest, LONGEST_MEMORY)
        return MemoryRequest(kind, rest)

    def _in_plain_words(self, words: str) -> GoalRequest | Ask:
        """A goal; a lone "stop", "wait" or "go on", in any language, is that command."""
        _refuse_longer('A goal', words, self._bounds.max_chars)
        kind = recognise(words).kind
        return Ask(kind) if kind in ('stop', 'pause', 'resume') else GoalRequest(words)

    def _tool(self, rest: str) -> ToolRequest:
        name, *arguments = rest.split(maxsplit=1) or ['']
        _refuse_nameless('tool', name, self.tools)
        if name not in self.tools:
            raise _unknown('tool', name, self.tools)
        if not arguments:
            return ToolRequest(name)
        _refuse_longer('The JSON of arguments', arguments[0], self._bounds.max_arguments_chars)
        example_ = example(self.tools[name].args_schema)
        return ToolRequest(name, json_object(f':tool {name}', arguments[0], example_))


def _configured(tools: Mapping[str, Skill]) -> Iterator[tuple[str, Command]]:
    for name, skill in tools.items():
        if skill.command:
            yield f':{skill.command.word}', Command(ToolRequest(name), skill.command.does)


def tool_of(meaning: Meaning) -> str:
    """The tool that a command needs; empty: none."""
    match meaning:
        case ToolRequest(name=name):
            return name
        case MemoryRequest(kind=kind):
            return kind
    return STATUS.question if meaning == STATUS else ''


def _of_tools(tools: Mapping[str, Skill]) -> dict[str, Command]:
    """A command for each tool with a server and without arguments that has no shorter one."""
    shorter = {tool_of(each.meaning) for each in _COMMANDS.values()}
    shorter |= {name for name, skill in tools.items() if skill.command}
    return {
        f':{name}': Command(ToolRequest(name), _first_sentence(skill.description))
        for name, skill in tools.items()
        if name not in shorter and skill.endpoint and not skill.args_schema.get('properties')
    }


def _first_sentence(description: str) -> str:
    sentence = one_line(description).partition('. ')[0].rstrip('.')
    return sentence[:1].lower() + sentence[1:]


def _command(line: str) -> str:
    words = incoming_text(line)
    return _folded(_split(words)[0]) if words.startswith(':') else ''


def _split(words: str) -> tuple[str, str]:
    """The command with its colon, and what follows. `words`: begin with a colon."""
    word, *rest = words.lstrip(': ').split(maxsplit=1) or ['']
    return f':{word}', ''.join(rest)


def _folded(word: str) -> str:
    """A command however it is written: in one width and case, without marks at its end."""
    plain = unicodedata.normalize('NFKC', word).casefold().replace('-', '_')
    plain = ''.join(sign for sign in plain if unicodedata.category(sign)[0] not in 'CM')
    return f':{plain[1:].rstrip(MARKS)}'


def _refuse_nameless(what: str, name: str, known: Iterable[str]) -> None:
    if not name:
        raise UsageError(f':{what} needs the name of a {what}. Known {what}s: {" ".join(known)}')


def _refuse_longer(what: str, text: str, most: int) -> None:
    if len(text) > most:
        raise UsageError(
            f'{what} has at most {most} characters, this one has {len(text)}: shorten it.'
        )


def _unknown(what: str, name: str, known: Iterable[str], meant: str = '') -> UsageError:
    """An unknown name with the one that is `meant`; empty: with one that is written alike."""
    close = [meant] if meant else difflib.get_close_matches(name, known, n=1)
    hint = f' Did you mean {close[0]}?' if close else ''
    return UsageError(f'Unknown {what} {name!r:.80}.{hint} Known {what}s: {" ".join(known)}')
