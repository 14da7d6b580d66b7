"""The commands of front ends with their help: what each does, its group, and its other names.

The configured variant decides which tools, and so which commands, there are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bt_executive.client.callable_tools import destination_tool, manual_motions
from bt_executive.client.front_end_requests import (
    TRACE_EVENTS,
    ApprovalAnswer,
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
from bt_executive.client.typed_arguments import one_of
from rover_common.config.settings import Config, Skill
from rover_common.text_sanitizing import one_line

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
DEMO_TEMPLATE = 'demo_ground_texture'
# What other programs call a command; `recognise` has the phrases for stop, pause and resume.
_OTHER_NAMES = {
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
ALIASES = {alias: name for name, aliases in _OTHER_NAMES.items() for alias in aliases.split()}
STATUS = ServiceRequest('get_status')  # of the adapter, without a goal


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


@dataclass(frozen=True)
class Command:
    """The request that a command makes, and its help. `arguments`: their syntax; empty: none."""

    request: FrontEndRequest
    description: str
    arguments: str = ''


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


def commands_of(config: Config, tools: Mapping[str, Skill]) -> dict[str, Command]:
    """Return all commands of a configuration by name; `tools`: of its variant."""
    commands = {
        name: command
        for name, command in _COMMANDS.items()
        if _tool_of(command.request) in ('', *tools)
    }
    if not config.has_world:
        del commands[':fault']
    if drive := destination_tool(tools):
        text = _first_sentence(tools[drive[0]].description) or 'drive to a place'
        commands[':goto'] = Command(DriveToPlace(*drive), text, 'X Y')
    for name, skill in tools.items():
        if word := skill.command:
            commands.setdefault(f':{word.word}', Command(ToolRequest(name), word.does))
    if motions := manual_motions(tools):
        is_timed = any(motion.duration_arg for motion in motions.values())
        syntax = one_of(motions) + (' [S]' if is_timed else '')
        commands[':teleop'] = Command(DriveManually(), 'drive by hand for a moment', syntax)
    for name, command in _tool_commands(tools):
        commands.setdefault(name, command)
    templates = config.prompts.templates
    if DEMO_TEMPLATE in templates:
        commands[':demo'] = Command(GoalRequest(DEMO_TEMPLATE), 'the goal of the demo')
    for name, template in templates.items():
        if name != DEMO_TEMPLATE:  # that is :demo
            commands.setdefault(f':{name}', Command(GoalRequest(name), template.label))
    return commands


def _tool_of(request: FrontEndRequest) -> str:
    """Return the tool that a request needs; empty: none."""
    match request:
        case ToolRequest(name=name):
            return name
        case MemoryRequest(kind=kind):
            return kind
    return STATUS.service if request == STATUS else ''


def _tool_commands(tools: Mapping[str, Skill]) -> Iterator[tuple[str, Command]]:
    """Yield a command for each tool with a server, without arguments and without another one."""
    covered = {_tool_of(command.request) for command in _COMMANDS.values()}
    for name, skill in tools.items():
        is_simple = skill.endpoint and not skill.args_schema.get('properties')
        if is_simple and not skill.command and name not in covered:
            yield f':{name}', Command(ToolRequest(name), _first_sentence(skill.description))


def _first_sentence(description: str) -> str:
    sentence = one_line(description).partition('. ')[0].rstrip('.')
    return sentence[:1].lower() + sentence[1:]
