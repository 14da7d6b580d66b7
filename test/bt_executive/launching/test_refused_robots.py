"""A hostile robot.yaml is refused at the start, in a sentence, and by every command alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from bt_executive import cli
from bt_executive.launching.check_findings import are_good, start_findings
from bt_executive.launching.start_checks import check_configuration
from bt_executive.launching.system_processes import nodes_without
from rover_common.config.load import load_config
from rover_common.errors import BtExecutiveError
from rover_common.ros.node_topic_and_enclave_names import RECORDER

STANDS = 'executive: { guards: { stop_endpoint: none, fallback_stop_endpoint: none } }\n'
SWITCH = (
    'service: { name: /lamp, type: std_srvs/srv/SetBool }, '
    'args: { lit: { type: boolean, field: data } }'
)
BASE = 'gates: { base: { velocity: { in: /w, out: /cmd_vel }, odom: /odom%s } }\n'
DRIVE = 'tools: { drive: { gate: base, motion: straight } }\n'
SET = 'rcl_interfaces/srv/SetParameters'
ALL = 'std_srvs/srv/Trigger'
FLAG = 'std_msgs/msg/Bool'


def calls(name: str, kind: str, content: str = 'service') -> str:
    return f'tools: {{ a: {{ {content}: {{ name: {name}, type: {kind} }} }} }}\n{STANDS}'


def tool(more: str) -> str:
    return f'tools: {{ a: {{ {SWITCH}, {more} }} }}\n{STANDS}'


def doubling(levels: int) -> str:
    each = [
        f'  t{n}: {{ sequence: [t{n + 1}, t{n + 1}, t{n + 1}, t{n + 1}] }}' for n in range(levels)
    ]
    last = f'  t{levels}: {{ sequence: [wait: {{ seconds: 1 }}] }}'
    return '\n'.join(['tools:', *each, last, STANDS])


REFUSED = {
    # what reaches the executive itself, another one, or any node
    'approvals': (
        calls('/executive/resolve_approval', 'bt_executive_interfaces/srv/ResolveApproval'),
        'tools.a: service /executive/resolve_approval is one of an executive',
    ),
    'reset': (calls('executive/reset', ALL), 'executive/reset is one of an executive'),
    'of another robot': (calls('/r2/executive/resume', ALL), 'is one of an executive'),
    'goals': (
        calls('/executive/execute_goal', 'bt_executive_interfaces/action/ExecuteGoal', 'action'),
        'action /executive/execute_goal is one of an executive',
    ),
    'past a gate': (
        calls('/gates/base/turn', 'bt_executive_interfaces/action/DriveMotion', 'action'),
        'action /gates/base/turn is one of an executive',
    ),
    'parameters': (calls('/camera/set_parameters', SET), f'({SET}) changes what any node runs'),
    'a gate of heartbeats': (
        'gates: { base: { velocity: { in: /w, out: /executive/heartbeat }, odom: /odom } }\n'
        + DRIVE,
        "gates.base.velocity.out is '/executive/heartbeat', which is one of ROS",
    ),
    'a gate of goals': (
        'gates: { a: { action: /executive/execute_goal } }\n',
        "gates.a.action is '/executive/execute_goal'",
    ),
    'its own witness': (
        f'state: {{ open: {{ topic: /flag, field: data, type: {FLAG} }} }}\n'
        + calls('/flag', FLAG, 'topic'),
        "topic /flag is what state 'open' is measured by",
    ),
    # names of what the tree does
    'finish': (
        f'tools: {{ finish: {{ topic: {{ name: /f, type: std_msgs/msg/String }}, args: {{ answer: '
        f'{{ type: string, field: data }} }} }} }}\n{STANDS}',
        'tools.finish: the tree itself does what this tool is for',
    ),
    'abort': ('tools: { abort: { sequence: [wait: { seconds: 1 }] } }\n' + STANDS, 'tools.abort'),
    # numbers
    'no end': (tool('timeout_s: 1e300'), "'tools.a.timeout_s' is 1e+300"),
    'no age': (
        f'state: {{ x: {{ topic: /a, field: data, type: {FLAG}, max_age_s: 1e300 }} }}\n{STANDS}',
        "'state.x.max_age_s' is 1e+300",
    ),
    'all is 0': (
        f'state: {{ x: {{ topic: /a, field: data, type: {FLAG}, scale: 0 }} }}\n{STANDS}',
        "'state.x.scale' is 0: every value would be 0",
    ),
    'silence': (BASE % ', silence_s: 1e9' + DRIVE, "'gates.base.silence_s' is 1000000000.0"),
    'old odometry': (BASE % ', odom_max_age_s: 600' + DRIVE, "'gates.base.odom_max_age_s' is 600"),
    'speed': (BASE % ', speeds: { linear_m_s: 1e6 }' + DRIVE, "'gates.base.speeds.linear_m_s'"),
    'too many calls': (doubling(3), 't0: it has more than 16 calls'),
    'too deep': (doubling(12), 't0: more than 8 composites stand within each other'),
    # what is not so
    'field': (
        f'state: {{ x: {{ topic: /a, field: dat, type: {FLAG} }} }}\n{STANDS}',
        f"state.x.field is 'dat', not of {FLAG}",
    ),
    'method': (
        f'state: {{ x: {{ topic: /a, field: get_fields_and_field_types, type: {FLAG} }} }}\n'
        + STANDS,
        "state.x.field is 'get_fields_and_field_types'",
    ),
    'type': (
        f'state: {{ x: {{ topic: /a, field: data, type: nowhere_msgs/msg/Bool }} }}\n{STANDS}',
        "state.x: interface 'nowhere_msgs/msg/Bool' is not installed",
    ),
    'default': (
        f'tools: {{ a: {{ topic: {{ name: /f, type: std_msgs/msg/Float64 }}, args: {{ v: {{ type: '
        f'number, maximum: 1, default: 5, field: data }} }} }} }}\n{STANDS}',
        'args.v.default is 5, which args does not allow',
    ),
    'reference': (
        f'tools: {{ a: {{ topic: {{ name: /f, type: std_msgs/msg/String }}, set: {{ data: '
        f'"${{pick.__class__}}" }} }} }}\n{STANDS}',
        "tools.a: set.data is '${pick.__class__}'",
    ),
    'example': (
        tool('examples: [{ say: light, args: { lit: 17 } }]'),
        'examples.0.args.lit is 17, which args does not allow',
    ),
    'example of nothing': (
        tool('examples: [{ say: light, args: { nothing: 1 } }]'),
        "examples.0.args: argument 'nothing' is not known",
    ),
    'unit': (tool('result: { units: { nothing: m } }'), "result.units: field 'nothing'"),
    # texts that write what they do not show
    'escape': (tool('description: "x\\e]0;a\\a"'), "'tools.a.description' is"),
    'direction': (tool('examples: ["on \\u202e ffo"]'), "'tools.a.examples.0' is"),
    'unit of escapes': (tool('result: { units: { message: "\\e[31m" } }'), 'units.message'),
    'long': (tool(f'description: {"x" * 3000}'), "'tools.a.description' is"),
    'far away': (f'extends: ./{"a" * 5000}\n', 'cannot be read (File name too long)'),
}


@pytest.mark.parametrize('case', REFUSED)
def test_check_doctor_and_up_refuse_it_in_the_same_words(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('COLUMNS', '400')
    text, sentence = REFUSED[case]
    (tmp_path / 'robot.yaml').write_text(text, encoding='utf-8')
    with pytest.raises(SystemExit) as left:
        cli.main(['check', str(tmp_path)])
    assert left.value.code in (1, 2)
    shown = capsys.readouterr()
    assert sentence in shown.out + shown.err
    assert (shown.out + shown.err).replace('\n', '').isprintable()
    with pytest.raises(BtExecutiveError) as refused:
        _start(tmp_path)
    assert sentence in str(refused.value)


def _start(folder: Path) -> None:
    """As `up` does before it starts anything; and as `doctor` shows it."""
    config = load_config(folder)
    checks = {each.name: each.check for each in nodes_without((RECORDER,), folder)}
    assert not are_good(start_findings(config, checks))
    check_configuration(config, checks.values())
