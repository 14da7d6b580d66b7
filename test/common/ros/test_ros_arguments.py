"""ROS arguments: each fault is one sentence, and rcl reads each value as this project does."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
import json
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st
import pytest

from rover_common.config.yaml_text import read_yaml
from rover_common.errors import UsageError
from rover_common.ros.ros_arguments import check_ros_arguments, usable_ros_arguments


def rewritten(*arguments: str) -> list[str]:
    with usable_ros_arguments(['--ros-args', *arguments]) as usable:
        assert usable[0] == '--ros-args'
        return usable[1:]


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (['-r', '__ns:=/robot-1'], 'a namespace begins with /'),
        (['-r', '__ns:=rover_1'], 'a namespace begins with /'),
        (['-r', '__ns:=/1'], 'a namespace begins with /'),
        (['-r', 'rover:__ns:=/a/'], 'a namespace begins with /'),
        (['--remap', '__node:=a-b'], 'the name of a node'),
        (['-r', 'foo'], 'write it as OLD:=NEW'),
        (['-r', 'a:=:=b'], 'write it as OLD:=NEW'),
        (['-r', 'a:='], 'write it as OLD:=NEW'),
        (['-r', 'a b:=c'], "'a b' is no name of ROS"),
        (['-r'], '-r needs a value'),
        (['-p', 'x'], 'write it as NAME:=VALUE'),
        (['-p', 'x:='], 'write it as NAME:=VALUE'),
        (['-p', 'x:=[1'], 'not valid YAML'),
        (['-p', 'x:={a: 1}'], 'a single value or a list'),
        (['-p', f'x:={2**70}'], 'larger than ROS has integers'),
        (['-p', 'battery.low_pct:=1:30'], "'battery.low_pct' is '1:30'"),
        (['-p', 'agent_verbose:=yes'], 'write true or false'),
        (['-p', 'batery.low_pct:=25'], r"did you mean 'battery.low_pct'\?"),
        (['-p', 'executive:planner.timeout:=2'], "did you mean 'planner.timeout_s'"),
        (['--params-file', '/no/such.yaml'], 'No such file'),
        (['--log-level', 'silly'], 'a level is one of'),
        (['--log-config-file', '/no/such'], 'there is no such file'),
        (['-e', ''], 'it is empty'),
        (['--bogus'], "There is no ROS argument '--bogus'"),
        (['--parms-file', 'x'], r'Did you mean --params-file\?'),
        (['__ns:=/x'], 'There is no ROS argument'),
    ],
)
def test_an_argument_that_cannot_be_used_is_named(arguments: Sequence[str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        check_ros_arguments(['--ros-args', *arguments])


def test_what_is_right_and_what_is_not_for_ros_stays_as_it_is() -> None:
    arguments = [
        *('--set', 'a=b', '--ros-args', '-r', '__ns:=/rover_2', '--remap', '/clock:=clock'),
        *('--log-level', 'a.b:=warn', '-e', '/enclave', '--disable-rosout-logs', '--', '--bogus'),
        *('--ros-args', '-r', 'talker:~/a:={node}/b', '--log-file-name', 'executive'),
    ]
    with usable_ros_arguments(arguments) as usable:
        assert usable == arguments


@pytest.mark.parametrize(
    ('given_', 'for_rcl'),
    [
        ('battery.low_pct:=25', 'battery.low_pct:=25.0'),
        ('battery.low_pct:=020', 'battery.low_pct:=20.0'),
        ('executive:battery.low_pct:=1e1', 'executive:battery.low_pct:=10.0'),
        ('agent_max_iterations:=0o17', 'agent_max_iterations:=15'),
        ('planner.model:=4.1', 'planner.model:="4.1"'),
        ('use_sim_time:=true', 'use_sim_time:=true'),
        ('rover.start.x:=null', 'rover.start.x:=null'),
        ('safety.required:=[]', 'safety.required:=[]'),
        ('unknown:=on', 'unknown:="on"'),
        ('unknown:=1:30', 'unknown:="1:30"'),
        ('unknown:=[1, 2.5]', 'unknown:=[1.0, 2.5]'),
        ('unknown:=-.inf', 'unknown:=-.inf'),
    ],
)
def test_a_value_is_handed_on_as_the_type_of_its_key(given_: str, for_rcl: str) -> None:
    assert rewritten('-p', given_) == ['-p', for_rcl]


def test_a_params_file_is_handed_on_with_the_types_of_its_keys(tmp_path: Path) -> None:
    file = tmp_path / 'my parameters.yaml'
    file.write_text(
        '/**:\n  executive:\n    ros__parameters:\n'
        '      battery: {low_pct: 020, lost_after_s: 5}\n      planner.model: 4.10\n'
        '      agent_verbose: false\n      other: yes\n',
        encoding='utf-8',
    )
    with usable_ros_arguments(['--ros-args', '--params-file', str(file)]) as usable:
        content = Path(usable[2]).read_text(encoding='utf-8')
    assert json.loads(content)['/**']['executive']['ros__parameters'] == {
        'battery': {'low_pct': 20.0, 'lost_after_s': 5.0},
        'planner.model': '4.10',
        'agent_verbose': False,
        'other': 'yes',
    }
    assert '20.0' in content
    assert not Path(usable[2]).exists()


@pytest.mark.parametrize('text', ['', '- 1', 'a: [', '\x00', 'a: ' + '9' * 5000])
def test_a_params_file_that_cannot_be_read_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / 'p.yaml').write_text(text, encoding='utf-8')
    with pytest.raises(UsageError, match=r'p\.yaml'):
        check_ros_arguments(['--ros-args', '--params-file', str(tmp_path / 'p.yaml')])


@pytest.mark.slow
@given(st.text(min_size=1))
def test_any_value_is_one_sentence_or_reads_the_same_twice(text: str) -> None:
    try:
        (flag, first) = rewritten('-p', f'unknown:={text}')
    except UsageError:
        return
    assert rewritten(flag, first) == [flag, first]
    read_yaml(first.partition(':=')[2])


@given(st.lists(st.sampled_from(['-r', '-p', '--params-file', '--', 'a:=1', '__ns:=/a', 'x'])))
@example(['-p', '__ns:=/a'])  # a text, which is put into quotes
def test_any_order_of_arguments_is_refused_or_kept(arguments: list[str]) -> None:
    with suppress(UsageError):
        kept = rewritten(*arguments)
        assert [each.replace('"', '') for each in kept] == arguments
        assert rewritten(*kept) == kept
