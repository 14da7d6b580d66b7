"""Interface types by name."""

from __future__ import annotations

import sys

import pytest

from rover_common.ros.interface_classes_and_fields import element_type, interface_class, resolve


@pytest.mark.parametrize(
    'name',
    [
        *('disco_msgs/srv/Lamp', 'std_srvs/srv/Lamp', 'std_srvs/action/SetBool'),
        'rclpy/action/ActionClient',  # a class in a folder of this name
    ],
)
def test_what_is_not_installed_is_told(name: str) -> None:
    with pytest.raises(LookupError, match=f"interface '{name}' is not installed"):
        interface_class(name)


def test_a_service_has_the_fields_of_request_and_response() -> None:
    found = resolve('std_srvs/srv/SetBool')
    assert found.request == {'data': 'boolean'}
    assert found.response == {'success': 'boolean', 'message': 'string'}


def test_an_action_has_the_fields_of_goal_and_result() -> None:
    found = resolve('tf2_msgs/action/LookupTransform')
    assert found.request['timeout'] == 'builtin_interfaces/Duration'
    assert found.response['error'] == {'error': 'uint8', 'error_string': 'string'}


@pytest.mark.parametrize(
    ('type_name', 'element'),
    [
        ('double', None),
        ('geometry_msgs/Point', None),
        ('double[36]', 'double'),
        ('sequence<double>', 'double'),
        ('sequence<geometry_msgs/Point>', 'geometry_msgs/Point'),
        ('sequence<uint8, 4>', 'uint8'),
        ('string<8>', None),
    ],
)
def test_what_a_list_holds(type_name: str, element: str | None) -> None:
    assert element_type(type_name) == element


@pytest.mark.parametrize(
    'name',
    ['antigravity/msg/X', 'os/path/Join', 'std_msgs/msg/Bool\n', 'std_msgs/msg', '', '../a/msg/B'],
)
def test_a_name_from_the_graph_imports_nothing_else(name: str) -> None:
    with pytest.raises(LookupError, match='interface'):
        interface_class(name)
    assert 'antigravity' not in sys.modules
