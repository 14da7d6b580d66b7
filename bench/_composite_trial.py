"""A kill in the middle of each kind of branch of a composite tool, whose servers work on.

The executive and the actions' servers are real; the goal is one composite tool by hand, of tools
that must not be done twice. It is killed while the last call is under way, and the next executive
is to end the goal well without asking for anything that was asked for before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Bool

from bench._errand_server import ErrandServer
from bench._resume_trial import ENDED_WITHIN_S, ResumeTrial
from bt_executive.store.sqlite_opening_and_faults import open_for_reading
from bt_executive.store.store_rows import read_entries
from rover_common.process.new_run_folder import make_run_folder

SERVERS = {'one': '/bench/one', 'two': '/bench/two'}
WORKS_S = 1.5  # duration of a goal
TOOL = """
  {name}:
    action: {{ name: {server}, type: bt_executive_interfaces/action/NavigateToPose }}
    args: {{}}
    timeout_s: 60.0
    idempotent: {idempotent}
    result: {{ reason: message }}
"""
ROBOT = """extends: curiosity
state:
  lit: {{ topic: /bench/lit, type: std_msgs/msg/Bool, field: data, max_age_s: 3600.0 }}
guards:
  is_lit: {{ where: {{ lit: true }}, reason: "It is dark" }}
tools:
  inner: {{ sequence: [one, two] }}
  do: {{ {plan} }}
"""


@dataclass(frozen=True)
class Kind:
    """A plan; how often servers fail at first; the number of calls of each until the kill."""

    plan: str
    asked: Mapping[str, int]
    fails: Mapping[str, int]
    in_all: Mapping[str, int]


KINDS = {
    'sequence': Kind('sequence: [one, two, one]', {'one': 1, 'two': 1}, {}, {'one': 2, 'two': 1}),
    'fallback': Kind(
        'fallback: [one, two, one]', {'one': 1, 'two': 1}, {'one': 1}, {'one': 1, 'two': 1}
    ),
    'parallel': Kind(
        'sequence: [ { parallel: [one, two] }, one ]',
        {'one': 1, 'two': 1},
        {},
        {'one': 2, 'two': 1},
    ),
    'retry': Kind(
        'sequence: [ { retry: { times: 3, do: again } }, one ]',
        {'two': 2},
        {'two': 1},
        {'one': 1, 'two': 2},
    ),
    'timeout': Kind(
        'sequence: [one, { timeout: { seconds: 60.0, do: two } }, one]',
        {'one': 1, 'two': 1},
        {},
        {'one': 2, 'two': 1},
    ),
    'guard': Kind(
        'sequence: [one, { guard: { that: [is_lit], do: two } }, one]',
        {'one': 1, 'two': 1},
        {},
        {'one': 2, 'two': 1},
    ),
    'composite': Kind('sequence: [inner, one]', {'one': 1, 'two': 1}, {}, {'one': 2, 'two': 1}),
}


class CompositeTrial:
    """One goal and one kill in a branch of this kind."""

    def __init__(self, folder: Path, kind: str) -> None:
        self._kind = KINDS[kind]
        config = _configuration(make_run_folder(folder), self._kind.plan)
        self.trial = ResumeTrial(folder, ('executive',), (), config=config)
        self._servers = {
            name: ErrandServer(server, WORKS_S, self._kind.fails.get(name, 0))
            for name, server in SERVERS.items()
        }
        self._lamp = Node('lamp')
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._lamp.create_publisher(Bool, '/bench/lit', latched).publish(Bool(data=True))

    def kill_in_the_middle(self) -> None:
        """Call the tool, and kill the executive during the call under test."""
        for server in self._servers.values():
            server.repair()
        self.trial.goal, _ = self.trial.system.begin_tool('do')
        self._until(lambda: self.asked == self._kind.asked, f'asked for {self._kind.asked}')
        self._until(lambda: any(each.is_at_work for each in self._servers.values()), 'at work')
        self._until(self._is_kept, 'the last call on disk')
        self.trial.system.kill('executive')

    @property
    def asked(self) -> dict[str, int]:
        """How often each server was called."""
        return {name: each.got.total() for name, each in self._servers.items() if each.got}

    def _is_kept(self) -> bool:
        """What may be done twice is not on disk before it is sent, and would be sent again."""
        with closing(open_for_reading(self.trial.journal)) as connection:
            entries = read_entries(connection, "kind = 'CALL'")
            accepted = sum(each.value['happened'] == 'accept' for each in entries)
        return bool(accepted == sum(self.asked.values()))

    def until_ended(self) -> None:
        """Until the goal has its end."""
        self._until(lambda: self.trial.ends, 'the end of the goal')
        self._until(self.trial.nothing_is_open, 'the end of the calls')

    def faults(self) -> Iterator[str]:
        """What must not be."""
        yield from self.trial.faults(kills=1)
        if self.trial.ends[0].outcome != 'reached':
            yield f'it ended as {self.trial.ends[0].outcome}: {self.trial.ends[0].answer}'
        if self.asked != self._kind.in_all:
            yield f'asked {self.asked}, not {self._kind.in_all}'

    def end(self) -> None:
        """Ends every process."""
        for server in self._servers.values():
            server.close()
        self._lamp.destroy_node()
        self.trial.system.end()

    def _until(self, done: Callable[[], object], what: str) -> None:
        def has_happened() -> object:
            for server in self._servers.values():
                server.poll()
            return done()

        self.trial.system.until(has_happened, what, ENDED_WITHIN_S)


def _configuration(folder: Path, plan: str) -> Path:
    config = folder / 'with_a_composite'
    config.mkdir()
    tools = [TOOL.format(name=name, server=at, idempotent='false') for name, at in SERVERS.items()]
    tools.append(TOOL.format(name='again', server=SERVERS['two'], idempotent='true'))
    text = ROBOT.format(plan=plan) + ''.join(tools)
    (config / 'robot.yaml').write_text(text, encoding='utf-8')
    return config
