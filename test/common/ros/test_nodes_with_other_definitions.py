"""A node whose messages are those of another version is named once, with the types."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from bt_executive_interfaces.action import ExecuteGoal
from bt_executive_interfaces.msg import Heartbeat, KeepOutZones
from domains import next_domain
import pytest
from rclpy.action import ActionServer
from spinning import spun_node
from waiting import wait_until

from rover_common.ros import nodes_with_other_definitions as definitions
from rover_common.ros.nodes_with_other_definitions import (
    LASTS_S,
    PERIOD_S,
    DefinitionsWatch,
    describe,
    nodes_with_other_definitions,
)

BEAT = 'bt_executive_interfaces/msg/Heartbeat'
OURS, OTHER = definitions._hash_of(BEAT), 'RIHS01_1'


class Graph:
    """A node that sees one topic; `publishers`: names and hashes."""

    def __init__(self, *publishers: tuple[str, str]) -> None:
        self.publishers: Sequence[tuple[str, str]] = publishers

    def get_topic_names_and_types(self) -> list[tuple[str, list[str]]]:
        return [('/heartbeat', [BEAT]), ('/rosout', ['rcl_interfaces/msg/Log'])]

    def get_publishers_info_by_topic(self, topic: str) -> list[Any]:
        assert topic == '/heartbeat'
        return [
            SimpleNamespace(
                node_namespace='/', node_name=name, topic_type=BEAT, topic_type_hash=type_hash
            )
            for name, type_hash in self.publishers
        ]

    def get_subscriptions_info_by_topic(self, _: str) -> list[Any]:
        return []


def watch_of(graph: Any) -> DefinitionsWatch:
    return DefinitionsWatch(graph)


def test_a_node_with_another_definition_is_named_with_the_type() -> None:
    graph: Any = Graph(('old', OTHER), ('new', OURS), ('nameless', 'INVALID'))
    found = nodes_with_other_definitions(graph)
    assert found == {'/old': {BEAT}}
    assert f'/old and this program define {BEAT} in different ways' in describe(found)


def test_it_is_said_once_after_a_killed_node_would_have_left_the_graph() -> None:
    graph = Graph(('old', OTHER), ('killed', OTHER))
    watch = watch_of(graph)
    assert watch.update(100.0) == ''
    graph.publishers = [('old', OTHER)]
    assert watch.update(100.0 + LASTS_S / 2) == ''
    assert watch.update(100.0 + LASTS_S).startswith('/old and this program')
    assert watch.update(100.0 + 3 * LASTS_S) == ''


def test_one_that_comes_again_is_news() -> None:
    graph = Graph(('old', OTHER))
    watch, now = watch_of(graph), 100.0
    for is_there in (True, False, True):
        graph.publishers = [('old', OTHER if is_there else OURS)]
        watch.update(now)
        assert bool(watch.update(now + LASTS_S)) is is_there
        now += LASTS_S + PERIOD_S


def test_many_are_counted() -> None:
    words = describe({f'/node_{number}\n': {BEAT} for number in range(6)})
    assert '/node_3 and 2 more and this program' in words.replace(' ,', ',')
    assert '\n' not in words


@pytest.mark.ros
def test_nodes_of_this_version_are_none_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of messages and of the topics of actions."""
    domain = next_domain()
    with spun_node('looks', domain) as looks, spun_node('offers', domain) as offers:
        offers.create_publisher(Heartbeat, 'beat', 1)
        offers.create_subscription(KeepOutZones, 'zones', lambda _: None, 1)
        server = ActionServer(offers, ExecuteGoal, 'go', lambda _: ExecuteGoal.Result())
        wait_until(lambda: looks.count_publishers('go/_action/feedback'))
        wait_until(lambda: looks.count_subscribers('zones'))
        assert nodes_with_other_definitions(looks) == {}
        monkeypatch.setattr(definitions, '_hash_of', lambda _: OTHER)
        feedback = 'bt_executive_interfaces/action/ExecuteGoal_FeedbackMessage'
        zones = 'bt_executive_interfaces/msg/KeepOutZones'
        expected = {'/offers': {BEAT, zones, feedback}}
        wait_until(
            lambda: nodes_with_other_definitions(looks) == expected
        )  # it gets its name late
        server.destroy()
