"""Which nodes define our own messages in another way than this program.

Fast DDS connects them all the same. A message that is shorter than expected is lost then, and in
one of the same length values are read as other fields. Only the graph shows it, by the hash of the
type of each endpoint; ROS 2 Humble has none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path

from rclpy.node import Node

from rover_common.json_values import read_json_object
from rover_common.ros.installed_definitions import PACKAGE, share_folder
from rover_common.text_sanitizing import one_line

PERIOD_S = 5.0  # steady; between two looks at the graph
LASTS_S = 25.0  # a node that was killed stays in the graph for up to 20 s
MOST_NAMES, LONGEST_NAME = 4, 120  # names are others' text
_HASHES = 'RIHS'  # how a hash begins; an endpoint may have none

Nodes = Mapping[str, Collection[str]]  # the full name of a node → the types


class DefinitionsWatch:
    """Looks at the graph, and says once of each node that it has other definitions."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._look_at = 0.0  # steady s
        self._since: dict[str, float] = {}
        self._reported: set[str] = set()

    def update(self, now: float) -> str:
        """Return a sentence if there is news, else nothing. `now`: steady time in s."""
        if now < self._look_at:
            return ''
        self._look_at = now + PERIOD_S
        found = nodes_with_other_definitions(self._node)
        self._since = {name: self._since.get(name, now) for name in found}
        self._reported &= found.keys()
        lasting = {name for name, since in self._since.items() if now - since >= LASTS_S}
        news = {name: found[name] for name in sorted(lasting - self._reported)}
        self._reported |= news.keys()
        return describe(news)


def nodes_with_other_definitions(node: Node) -> dict[str, set[str]]:
    """Return the nodes in the graph with endpoints of types that are defined otherwise here."""
    found: dict[str, set[str]] = {}
    for topic, types in node.get_topic_names_and_types():
        if not any(each.startswith(f'{PACKAGE}/') for each in types):
            continue
        for get in (node.get_publishers_info_by_topic, node.get_subscriptions_info_by_topic):
            for each in get(topic):
                theirs = str(getattr(each, 'topic_type_hash', ''))
                ours = _hash_of(each.topic_type)
                if ours and theirs.startswith(_HASHES) and theirs != ours:
                    name = f'{each.node_namespace.rstrip("/")}/{each.node_name}'
                    found.setdefault(name, set()).add(each.topic_type)
    return found


def describe(nodes: Nodes) -> str:
    """Return what there is to say about nodes with other definitions; empty: there are none."""
    if not nodes:
        return ''
    types = sorted({each for of_one in nodes.values() for each in of_one})
    return (
        f'{_listed(nodes)} and this program define {_listed(types)} in different ways, so what '
        'they send each other is lost or misread: run one version of bt_executive everywhere.'
    )


def _listed(names: Collection[str]) -> str:
    more = f' and {len(names) - MOST_NAMES} more' if len(names) > MOST_NAMES else ''
    return ', '.join(one_line(each)[:LONGEST_NAME] for each in sorted(names)[:MOST_NAMES]) + more


def _hash_of(type_name: str) -> str:
    """Return the hash of one of our own types as it is installed here; empty: not known."""
    package, _, name = type_name.partition('/')
    return _hashes_of(name.partition('_')[0]).get(type_name, '') if package == PACKAGE else ''


@cache
def _hashes_of(name: str) -> Mapping[str, str]:
    """Return type → hash of a definition such as `msg/Heartbeat`, with those derived from it."""
    folder = share_folder() or Path()
    try:
        text = (folder / f'{name}.json').read_text(encoding='utf-8')
        return dict(_type_hashes(read_json_object(text)['type_hashes']))
    except (OSError, ValueError, LookupError, TypeError):
        return {}


def _type_hashes(listed: Collection[Mapping[str, str]]) -> Iterator[tuple[str, str]]:
    for each in listed:
        yield each['type_name'], each['hash_string']
