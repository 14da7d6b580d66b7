"""The configuration as ROS parameters, over the services that `ros2 param` calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import DescribeParameters, SetParametersAtomically
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.parameter import Parameter

from rover_common.config.load import load_config
from rover_common.errors import ConfigError
from rover_common.ros.config_as_ros_parameters import ConfigParameters

pytestmark = pytest.mark.ros
PATHS = (
    ('executive', 'variant'),
    ('executive', 'agent'),
    ('executive', 'battery'),
    ('executive', 'planner', 'temperature'),
    ('executive', 'safety', 'required'),
    ('executive', 'memory', 'store'),
)
Make = Callable[..., 'Bench']
CHANGEABLE = (('executive', 'agent', 'max_iterations'), ('executive', 'battery'))


class Bench:
    """A node with parameters, and somebody who asks for them."""

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self.node = Node('subject', context=executor.context)
        self.asker = Node('asker', context=executor.context)
        self.changes: list[Any] = []

    def declare(self, *overrides: str) -> ConfigParameters:
        self.parameters = ConfigParameters(
            self.node, load_config(None, overrides), PATHS, CHANGEABLE, self.changes.append
        )
        for node in (self.node, self.asker):
            self.executor.add_node(node)
        return self.parameters

    def call(self, type_: type, name: str, request: Any) -> Any:
        client = self.asker.create_client(type_, f'/subject/{name}')
        assert client.wait_for_service(20.0)
        future = client.call_async(request)
        self.executor.spin_until_future_complete(future, 20.0)
        return future.result()

    def set(self, **values: Any) -> Any:
        request = SetParametersAtomically.Request()
        request.parameters = [
            Parameter(name.replace('__', '.'), value=value).to_parameter_msg()
            for name, value in values.items()
        ]
        return self.call(SetParametersAtomically, 'set_parameters_atomically', request).result

    def describe(self, *names: str) -> Any:
        request = DescribeParameters.Request(names=list(names))
        return self.call(DescribeParameters, 'describe_parameters', request).descriptors


@pytest.fixture
def make(own_executor: Any) -> Make:
    return lambda *given: Bench(own_executor(*given))


def test_parameters_tell_what_they_are_what_they_may_be_and_whether_they_can_change(
    make: Make,
) -> None:
    bench = make()
    bench.declare()
    variant, low, iterations, streaming = bench.describe(
        'variant', 'battery.low_pct', 'agent_max_iterations', 'agent_streaming'
    )
    assert variant.additional_constraints == 'one of A, B'
    assert 'mast' in variant.description
    (span,) = low.floating_point_range
    assert (span.from_value, span.to_value) == (0.0, 100.0)
    assert low.description == 'below it the goal rests'
    (steps,) = iterations.integer_range
    assert (steps.from_value, steps.to_value) == (1, 10_000)
    assert (variant.read_only, streaming.read_only) == (True, True)
    assert (low.read_only, iterations.read_only) == (False, False)


def test_what_is_given_at_the_start_counts_even_if_it_is_read_only_later(make: Make) -> None:
    bench = make('-p', 'variant:=A', '-p', 'battery.low_pct:=30.0')
    config = bench.declare().config
    assert (config.executive.variant, config.executive.battery.low_pct) == ('A', 30.0)


@pytest.mark.parametrize('given', [(), ('-p', 'memory.store:=postgresql://***@host/map')])
def test_a_password_of_the_configuration_is_used_and_not_shown(
    make: Make, given: tuple[str, ...]
) -> None:
    bench, store = make(*given), 'postgresql://joe:secret@host/map'
    assert bench.declare(f'memory.store={store}').config.executive.memory.store == store
    assert bench.node.get_parameter('memory.store').value == 'postgresql://***@host/map'


def test_texts_lose_what_a_reader_does_not_see_as_in_the_files(make: Make) -> None:
    bench = make('-p', 'variant:=A\u200b', '-p', 'safety.required:=[tf\ufeff]')
    executive = bench.declare().config.executive
    assert (executive.variant, executive.safety.required) == ('A', ('tf',))


def test_an_integer_is_taken_for_a_number_at_run_time(make: Make) -> None:
    bench = make()
    bench.declare()
    assert bench.set(battery__low_pct=25).successful
    value = bench.node.get_parameter('battery.low_pct').value
    assert (value, type(value)) == (25.0, float)
    assert bench.parameters.config.executive.battery.low_pct == 25.0


def test_what_a_dump_writes_for_null_and_an_empty_list_can_be_given_at_the_start(
    make: Make,
) -> None:
    bench = make('-p', 'planner.temperature:=null', '-p', 'safety.required:=[]')
    executive = bench.declare().config.executive
    assert (executive.planner.temperature, executive.safety.required) == (None, ())


def test_a_list_of_texts_is_one_while_it_is_empty_too(make: Make) -> None:
    bench = make()
    bench.declare()
    (required,) = bench.describe('safety.required')
    assert (required.type, required.read_only) == (ParameterType.PARAMETER_STRING_ARRAY, True)


@pytest.mark.parametrize(
    ('given', 'words'),
    [
        ('variant:=C', "'variant' is 'C'"),
        ('battery.low_pct:=80.0', 'must be above low_pct'),
        ('safety.required:=tf', "'safety.required' is 'tf'"),
    ],
)
def test_what_is_not_allowed_at_the_start_is_an_error_of_the_configuration(
    make: Make, given: str, words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        make('-p', given).declare()


def test_a_change_is_told_and_holds(make: Make) -> None:
    bench = make()
    parameters = bench.declare()
    assert bench.set(battery__low_pct=70.0, battery__resume_pct=90.0).successful
    assert parameters.config.executive.battery.low_pct == 70.0
    low, resume = (('executive', 'battery', key) for key in ('low_pct', 'resume_pct'))
    assert bench.changes == [{low: 70.0, resume: 90.0}]


@pytest.mark.parametrize(
    ('values', 'words'),
    [
        ({'battery__low_pct': 70.0}, 'must be above low_pct'),
        ({'battery__low_pct': 170.0}, 'out of range Min: 0.0, Max: 100.0'),
        ({'battery__low_pct': 'much'}, 'Wrong parameter type'),
        ({'agent_max_iterations': 0}, 'out of range. Min: 1'),
        ({'variant': 'A'}, 'read-only'),
        ({'battery__low_pct': 50.0, 'no_such': 1}, 'no_such; `ros2 param list /subject` shows'),
    ],
)
def test_a_change_that_is_not_allowed_is_refused_with_the_reason(
    make: Make, values: Any, words: str
) -> None:
    bench = make()
    parameters = bench.declare()
    before = parameters.config
    refusal = bench.set(**values)
    assert not refusal.successful
    assert words in refusal.reason
    assert parameters.config == before
    assert not bench.changes
