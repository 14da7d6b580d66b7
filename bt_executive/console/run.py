"""`bt-executive demo` and `up`: processes, ROS client, screen and conversation put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
import os
from pathlib import Path
from queue import SimpleQueue
import signal
import sys
import time
from typing import Any, Protocol

from rich.console import Console

from bt_executive.console.commands import Vocabulary
from bt_executive.console.display import Display
from bt_executive.console.happenings import EndOfInput, Happening, Interrupt, Line
from bt_executive.console.lines import read_lines
from bt_executive.console.nodes import NodeProcess
from bt_executive.console.processes import Supervisor
from bt_executive.console.repl import DONE, NOT_REACHED, Repl, Wire
from bt_executive.console.session import Link, Session
from bt_executive.settings import Config

ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Client(Wire, Link, Protocol):
    """The ROS side of the console; bt_executive/ros/console_client.py implements it."""

    def close(self) -> None:
        """Leaves the ROS graph."""


@dataclass(frozen=True)
class RunOptions:
    """One run.

    Attributes:
        nodes: The processes to start.
        node_arguments: Command line arguments that each of them gets.
        ros_arguments: `--ros-args …`, for all of them and the console's own client.
        run_dir: An existing folder that takes everything the run writes.
    """

    config: Config
    nodes: Sequence[NodeProcess]
    node_arguments: Sequence[str]
    ros_arguments: Sequence[str]
    run_dir: Path


MakeClient = Callable[[Config, Callable[[Happening], None], Sequence[str]], Client]


def children_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment with discovery kept on this machine, unless the user chose otherwise."""
    return {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST', **environment}


def run_up(options: RunOptions, make_client: MakeClient) -> int:
    """Talks with the operator on standard input; returns the exit code."""
    interactive = sys.stdin is not None and sys.stdin.isatty()
    inbox: SimpleQueue[Happening] = SimpleQueue()
    display = _display(options.config)
    display.say(f'Starting; everything is written to {options.run_dir}')
    if interactive:
        display.say('Type a goal for the rover, or :help')
    read_lines(0, inbox.put)
    return _converse(options, make_client, inbox, display, interactive)[0]


def run_demo(options: RunOptions, make_client: MakeClient, goal: str) -> int:
    """Pursues one goal and sums up; returns 0 only if it was reached."""
    inbox: SimpleQueue[Happening] = SimpleQueue()
    display = _display(options.config)
    display.say(f'Starting the rover; everything is written to {options.run_dir}')
    inbox.put(Line(goal))
    inbox.put(EndOfInput())
    code, repl = _converse(options, make_client, inbox, display, interactive=False)
    end = repl.last_end
    if end is not None:
        summary: dict[str, Any] = {'outcome': end.outcome, 'answer': end.answer, **end.summary}
        display.show_summary(summary, options.run_dir)
    reached = end is not None and end.outcome == 'reached'
    return NOT_REACHED if code == DONE and not reached else code


def _display(config: Config) -> Display:
    agent = config.executive.agent
    return Display(Console(highlight=False), time.monotonic, agent.rich_ui and agent.verbose)


def _converse(
    options: RunOptions,
    make_client: MakeClient,
    inbox: SimpleQueue[Happening],
    display: Display,
    interactive: bool,
) -> tuple[int, Repl]:
    for number in ENDING_SIGNALS:
        signal.signal(number, lambda *_: inbox.put(Interrupt()))
    os.environ.update(children_environment(os.environ))
    supervisor = Supervisor(
        options.nodes,
        [*options.node_arguments, *options.ros_arguments],
        options.run_dir / 'logs',
        os.environ,
    )
    try:
        supervisor.start()
        client = make_client(options.config, inbox.put, options.ros_arguments)
        repl = Repl(
            Vocabulary(options.config),
            client,
            display,
            time.monotonic,
            one_at_a_time=not interactive,
        )
        code = Session(repl, display, supervisor, client, inbox, patient=interactive).run()
        client.close()
    finally:
        supervisor.end()
    return code, repl
