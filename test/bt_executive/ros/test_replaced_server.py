"""Who answers a request once other servers have come or gone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import pytest
from rclpy.task import Future

from bt_executive.ros.replaced_server import (
    TIMES,
    UNKNOWN,
    Publishers,
    ReplacedServices,
    is_replaced,
)

LAMP, TWIN, OTHER, STRANGER = '/lamp', '/lamp', '/other', f'/{UNKNOWN}'


def gid(number: int) -> bytes:
    return bytes([number])


@pytest.mark.parametrize(
    ('before', 'now', 'replaced'),
    [
        ({1: LAMP}, {1: LAMP}, False),
        ({1: LAMP}, {}, False),  # that a server has gone is seen otherwise
        ({1: LAMP}, {1: LAMP, 2: TWIN}, True),  # killed, still listed, started again
        ({1: LAMP}, {2: TWIN}, True),
        ({1: LAMP}, {2: OTHER}, True),
        ({1: LAMP}, {1: LAMP, 2: OTHER}, False),  # a second server is no heir
        ({1: LAMP}, {1: LAMP, 2: STRANGER}, False),  # its name is not found yet
        ({1: STRANGER}, {1: STRANGER, 2: STRANGER}, False),
        ({1: STRANGER}, {2: LAMP}, True),
        ({1: LAMP, 2: OTHER}, {1: LAMP, 2: OTHER, 3: TWIN}, False),  # the other has it, too
        ({1: LAMP, 2: OTHER}, {1: LAMP, 3: TWIN}, True),
        ({1: LAMP, 2: OTHER}, {1: LAMP}, False),
    ],
)
def test_who_takes_a_servers_place(
    before: dict[int, str], now: dict[int, str], replaced: bool
) -> None:
    assert is_replaced(_of(before), _of(now)) is replaced


servers = st.dictionaries(st.integers(0, 5), st.sampled_from([LAMP, OTHER, STRANGER]), max_size=4)


@given(servers, servers)
def test_a_request_is_lost_only_if_nobody_has_it_and_somebody_is_there(
    before: dict[int, str], now: dict[int, str]
) -> None:
    """Whoever was there, is still, and has no namesake, may answer yet."""
    if not is_replaced(_of(before), _of(now)):
        return
    newcomers = {now[each] for each in now.keys() - before.keys()}
    assert newcomers
    assert not [each for each in before if each in now and before[each] not in newcomers]


class Graph:
    """A node that knows who publishes, and a timer that never runs by itself."""

    def __init__(self, **publishers: str) -> None:
        self.here = publishers
        self.runs = False
        self.topics: set[str] = set()

    def get_publishers_info_by_topic(self, topic: str, no_mangle: bool) -> list[Any]:
        assert no_mangle
        self.topics.add(topic)
        return [
            SimpleNamespace(endpoint_gid=each.encode(), node_namespace='/', node_name=name)
            for each, name in self.here.items()
        ]

    def create_timer(self, _period_s: float, poll: Any, **_more: Any) -> Any:
        self.poll = poll
        return SimpleNamespace(reset=lambda: self._set(True), cancel=lambda: self._set(False))

    def _set(self, runs: bool) -> None:
        self.runs = runs

    def pass_polls(self, times: int) -> None:
        for _ in range(times):
            assert self.runs
            self.poll()


@pytest.fixture
def graph() -> Graph:
    return Graph(a='lamp')


@pytest.fixture
def lost() -> list[str]:
    return []


@pytest.fixture
def replaced(graph: Any, lost: list[str]) -> ReplacedServices:
    return ReplacedServices(graph, lost.append)


def test_a_call_is_lost_when_its_server_was_started_again(
    graph: Graph, lost: list[str], replaced: ReplacedServices
) -> None:
    replaced.follow('call', '/lamp/switch', Future())
    graph.pass_polls(5)
    graph.here['b'] = 'lamp'
    graph.pass_polls(TIMES - 1)
    assert not lost, 'the newcomer may have received it, and answers then'
    graph.pass_polls(1)
    assert (lost, graph.runs) == (['call'], False)
    assert graph.topics == {'rr/lamp/switchReply'}


def test_an_answer_ends_the_watch(
    graph: Graph, lost: list[str], replaced: ReplacedServices
) -> None:
    future: Future = Future()
    replaced.follow('call', '/lamp/switch', future)
    graph.here['b'] = 'lamp'
    graph.pass_polls(TIMES - 1)
    future.set_result('on')
    graph.pass_polls(1)
    assert (lost, graph.runs) == ([], False)


def test_each_call_has_its_own_servers(
    graph: Graph, lost: list[str], replaced: ReplacedServices
) -> None:
    """The heir of the first call's server is the server of the second call."""
    replaced.follow('first', '/lamp/switch', Future())
    graph.here['b'] = 'lamp'
    replaced.follow('second', '/lamp/switch', Future())
    graph.pass_polls(TIMES)
    assert lost == ['first']
    graph.here = {'c': 'lamp'}
    graph.pass_polls(TIMES)
    assert lost == ['first', 'second']


def test_a_server_that_the_graph_shows_late_is_no_heir(
    graph: Graph, lost: list[str], replaced: ReplacedServices
) -> None:
    graph.here = {}
    replaced.follow('call', '/lamp/switch', Future())
    graph.here = {'a': UNKNOWN}
    graph.pass_polls(TIMES + 1)
    graph.here = {'a': 'lamp'}
    graph.pass_polls(TIMES + 1)
    assert not lost
    graph.here = {'a': 'lamp', 'b': 'lamp'}
    graph.pass_polls(TIMES)
    assert lost == ['call']


def test_an_heir_that_goes_at_once_is_forgotten(
    graph: Graph, lost: list[str], replaced: ReplacedServices
) -> None:
    replaced.follow('call', '/lamp/switch', Future())
    for _ in range(3):
        graph.here['b'] = 'lamp'
        graph.pass_polls(TIMES - 1)
        del graph.here['b']
        graph.pass_polls(1)
    assert not lost


def test_a_mute_server_s_calls_do_not_pile_up(graph: Graph, replaced: ReplacedServices) -> None:
    asked: list[str] = []
    look = graph.get_publishers_info_by_topic
    for number in range(100):
        replaced.follow(f'call {number}', '/lamp/switch', Future())
    graph.get_publishers_info_by_topic = (  # type: ignore[method-assign]
        lambda topic, no_mangle: asked.append(topic) or look(topic, no_mangle)  # type: ignore[func-returns-value]
    )
    graph.pass_polls(1)
    assert 0 < len(asked) <= 32


def _of(servers: dict[int, str]) -> Publishers:
    return {gid(each): name for each, name in servers.items()}
