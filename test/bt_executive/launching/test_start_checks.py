"""What is checked before a start: configurations, models, and that in a child process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
import json
import os
from pathlib import Path
import signal
import subprocess
import sys
import time

from known import known
import psutil
import pytest

from bt_executive import cli
from bt_executive.launching.model_checks_of_parts import model_faults, part_models
from bt_executive.launching.start_checks import (
    CheckInChildProcess,
    Finding,
    check_configuration,
    start_findings,
)
from bt_executive.launching.system_processes import NODES, nodes_without
from rover_common.config.load import load_config
from rover_common.errors import BtExecutiveError, UsageError
from rover_common.extras import needs_extra
from rover_common.llm.providers.catalogue import CATALOGUE
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


# Refused when the file is read; by the checks of the processes; and texts that hide something.
PRINTED = ('no end', 'type', 'escape', 'direction', 'unit of escapes', 'long')


@pytest.mark.parametrize('case', REFUSED)
def test_up_and_doctor_refuse_a_hostile_robot_file_in_the_same_words(
    case: str, tmp_path: Path
) -> None:
    text, sentence = REFUSED[case]
    (tmp_path / 'robot.yaml').write_text(text, encoding='utf-8')
    findings: list[Finding] = []  # none if the file cannot even be read
    with pytest.raises(BtExecutiveError) as refused:
        start(tmp_path, findings)
    assert sentence in str(refused.value)
    remedies = [each.remedy for each in findings if each.is_fault]
    assert not findings or str(refused.value).rstrip('.') in remedies


def start(folder: Path, findings: list[Finding]) -> None:
    """As `up` does before it starts anything; and as `doctor` shows it."""
    config = load_config(folder)
    checks = {each.name: each.check for each in nodes_without((RECORDER,), folder)}
    findings += start_findings(config, checks)
    check_configuration(config, checks.values())


@pytest.mark.parametrize('case', PRINTED)
def test_check_prints_the_same_words_and_nothing_that_a_terminal_obeys(
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


def refuse() -> None:
    raise UsageError('A rover runs here already: “Ä” \udc80.')


def fail() -> None:
    raise ValueError('unforeseen')


def vanish() -> None:
    os._exit(7)


def wait() -> None:
    time.sleep(600.0)


def be_killed() -> None:
    """As for want of memory; C++ that gets no thread ends by a signal, too."""
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.process
def test_a_check_that_passes() -> None:
    CheckInChildProcess(lambda: None).result()


@pytest.mark.process
@pytest.mark.parametrize(
    ('check', 'error', 'text'),
    [
        pytest.param(refuse, BtExecutiveError, 'already: “Ä” \udc80', id='refused'),
        pytest.param(
            be_killed, BtExecutiveError, r'was killed by SIGKILL: .*ulimit -u', id='killed'
        ),
        pytest.param(fail, RuntimeError, 'ValueError: unforeseen', id='failed'),
        pytest.param(vanish, RuntimeError, 'ended with code 7', id='ended without a word'),
    ],
)
def test_a_check_that_does_not_pass(
    check: Callable[[], None], error: type[Exception], text: str
) -> None:
    with CheckInChildProcess(check) as aside, pytest.raises(error, match=text):
        aside.result()


@pytest.mark.process
def test_a_check_whose_result_is_not_asked_for_is_ended() -> None:
    before = psutil.Process().children()
    with CheckInChildProcess(wait):
        (child,) = {*psutil.Process().children()} - {*before}
    assert not child.is_running()


@pytest.mark.process
def test_two_checks_at_once_do_not_hold_each_other_up() -> None:
    with CheckInChildProcess(wait):
        CheckInChildProcess(lambda: None).result()


CLIENTS = {'langchain_anthropic', 'langchain_ollama', 'langchain_openai', 'xllamacpp'}
AGENT = {'langchain', 'rosa'}
COMMON = {'langchain_core', 'langsmith'}  # each provider's package brings them
# What is installed → what is not there to be imported.
ENVIRONMENTS = {
    'base': {*CLIENTS, *AGENT, *COMMON, 'openai', 'anthropic', 'ollama'},
    'anthropic': {*CLIENTS, *AGENT, 'openai', 'ollama'} - {'langchain_anthropic'},
    'local': {*CLIENTS, *AGENT, *COMMON, 'openai', 'anthropic', 'ollama'} - {'xllamacpp'},
}
# The part that asks → what names its model; llamacpp comes from the planner.
CALLERS = {
    'planner': 'planner',
    'memory': 'memory.model',
    'embeddings': 'memory.embedding',
    'vision': 'vision.model',
}
NEEDED = {
    'openai': ('rosa',),
    'azure': ('rosa',),
    'anthropic': ('anthropic',),
    'ollama': ('ollama',),
    'llamacpp': ('local', 'rosa'),
}
CASES = [
    (caller, provider)
    for caller in CALLERS
    for provider in NEEDED
    if provider != 'llamacpp' or caller in ('planner', 'memory')
]
ASK = """
import json, os, sys
environments, cases, stub = json.loads(sys.argv[1])
class LeftOut:
    left_out = set().union(*environments.values())
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in self.left_out:
            raise ModuleNotFoundError(f'No module named {name!r}', name=name)
sys.meta_path.insert(0, LeftOut())
sys.path.append(stub)
from bt_executive.launching.system_processes import NODES
from bt_executive.launching.model_checks_of_parts import model_faults
from bt_executive.planner.configured_planner import check_provider
import bt_executive.planner.model_server_probe
from embodied_nav.memory_from_config import make_models
from rover_common.config.load import load_config
from rover_common.errors import ConfigError
from rover_vision.seeing.vision_model_from_config import make_model

KEYS = dict.fromkeys(('OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'AZURE_OPENAI_API_KEY'), 'key')
def asked(caller, config):
    if caller == 'planner':
        try:
            return [check_provider(config.executive.planner, KEYS).sentence]
        except ConfigError as fault:
            return [str(fault)]
    if caller == 'vision':
        return [make_model(config, KEYS)[1], *model_faults(config, KEYS, NODES)]
    return [*make_models(config, KEYS).faults, *model_faults(config, KEYS, NODES)]
cases = [(caller, load_config(None, changes)) for caller, changes in cases]
for left_out in environments.values():
    sys.stdout.flush()
    if not os.fork():
        LeftOut.left_out = {*left_out}
        print(json.dumps([asked(*case) for case in cases]))
        print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))
        sys.exit()
    assert os.wait()[1] == 0
"""


def changes(caller: str, provider: str) -> list[str]:
    where = 'planner' if provider == 'llamacpp' else CALLERS[caller]
    given = [f'{where}.provider={provider}', f'{where}.model=m']
    address = [f'{where}.base_url=http://127.0.0.1:9'] if provider == 'azure' else []
    return [*given, *address]


def asked(folder: Path) -> Iterator[tuple[str, dict[tuple[str, str], list[str]], list[str]]]:
    """What is installed; caller and provider → what is said of it; what was imported for it.

    `folder`: gets an xllamacpp to be found: the package itself is none of the suite.
    """
    (folder / 'xllamacpp.py').touch()
    cases = [(caller, changes(caller, provider)) for caller, provider in CASES]
    environments = {name: sorted(left_out) for name, left_out in ENVIRONMENTS.items()}
    given = json.dumps([environments, cases, str(folder)])
    done = subprocess.run(
        [sys.executable, '-c', ASK, given], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    lines = map(json.loads, done.stdout.splitlines())
    for installed, sentences, modules in zip(ENVIRONMENTS, lines, lines, strict=True):
        yield installed, dict(zip(CASES, sentences, strict=True)), modules


def lacking(installed: str, caller: str, provider: str) -> tuple[str, ...]:
    needed = [extra for extra in NEEDED[provider] if extra != installed]
    if needed and caller == 'planner' and 'rosa' not in needed:
        needed.append('rosa')
    return tuple(needed)


@pytest.mark.process
def test_what_is_missing_is_one_sentence(tmp_path: Path) -> None:
    for installed, answers, modules in asked(tmp_path):
        for (caller, provider), sentences in answers.items():
            about = installed, caller, provider, sentences
            expected = f'provider {provider} has no embeddings'
            if caller != 'embeddings' or CATALOGUE[provider].embeds:
                extras = lacking(installed, caller, provider)
                expected = needs_extra(f'provider {provider}', *extras) if extras else ''
            if expected:
                assert len(sentences) == (1 if caller == 'planner' else 2), about
                assert all(expected in each for each in sentences), about
            else:
                assert not any('needs the extra' in each for each in sentences), about
        if installed == 'base':
            assert not ENVIRONMENTS['base'] & {*modules}


def test_what_the_catalogue_needs_is_in_the_table() -> None:
    assert {name: tuple(each.packages) for name, each in CATALOGUE.items()} == NEEDED
    embedding = {each.module for each in CATALOGUE.values() if each.embeds}
    for module in {each.module for each in CATALOGUE.values()}:
        spec = find_spec(f'rover_common.llm.providers.{module}')  # to import it takes a second
        source = Path(str(known(spec).origin)).read_text(encoding='utf-8')
        assert ('def make_embeddings(' in source) is (module in embedding)


def test_what_is_configured_is_listed_for_the_processes_that_ask() -> None:
    given = ['memory.model.provider=ollama', 'memory.model.model=qwen3:8b']
    config = load_config(
        None, [*given, 'vision.model.provider=ollama', 'vision.model.model=llava']
    )
    found = {each.title: each for each in part_models(config, {}, NODES)}
    assert set(found) == {'memory.model', 'vision.model'}
    assert found['vision.model'].description == 'ollama, llava at http://127.0.0.1:11434'
    assert model_faults(config, {}, NODES) == []
    assert list(part_models(config, {}, [])) == []
    assert list(part_models(load_config(), {}, NODES)) == []


def test_a_key_that_is_missing_is_named_with_what_does_without() -> None:
    given = ['vision.model.provider=anthropic', 'vision.model.model=sees']
    (sentence,) = model_faults(load_config(None, given), {}, NODES)
    assert sentence.startswith('Nothing asks vision.model: vision.yaml: ')
    assert 'ANTHROPIC_API_KEY' in sentence


def test_a_gguf_file_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('rover_common.llm.providers.catalogue.is_installed', lambda _: True)
    overrides = ['planner.provider=llamacpp', 'planner.model=/nowhere/small.gguf']
    (sentence,) = model_faults(load_config(None, overrides), {}, NODES)
    assert sentence.startswith(
        "Nothing asks memory.model: executive.yaml: memory.model.model is '/nowhere/small.gguf', "
        'which is no file: give the path of a GGUF file'
    )
