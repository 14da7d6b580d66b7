"""`bt-executive demo`, `up`, `console`: runs processes, client, screen and conversation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
import os
from pathlib import Path
import sys
import time
from typing import TYPE_CHECKING, Any, Protocol

from rich.console import Console

from bt_executive.client.front_end_events import ClientEvent, EndOfInput, InputLine
from bt_executive.client.front_end_ports import ConsolePort
from bt_executive.client.typed_commands import Vocabulary
from bt_executive.console.console_event_loop_and_queue import ConsoleInbox, ConsoleLoop, ViewStore
from bt_executive.console.console_input import read_lines
from bt_executive.console.console_line_order_goals_and_exit import Repl
from bt_executive.console.console_output import Display
from bt_executive.console.ending_signals_and_stuck_loop import Interrupts
from bt_executive.console.trace_event_narrator import Narrator
from bt_executive.console.trace_skill_cost_and_episode_tables import page
from bt_executive.console.wait_for_executive import ExecutiveWatch
from bt_executive.launching.supervisor import Supervisor
from bt_executive.launching.system_processes import (
    NodeProcess,
    children_environment,
    first_arguments,
)
from rover_common.config.settings import Config
from rover_common.process.new_run_folder import export_run_start
from rover_common.process.process_end import DONE, NOT_REACHED
from rover_common.process.warm_parent import WarmParent
from rover_common.ros.node_topic_and_enclave_names import EXECUTIVE
from rover_common.ros.ros_arguments import domain_of, namespace_of

if TYPE_CHECKING:
    from bt_executive.console.live_view_and_prompt import Terminal


class Client(ConsolePort, Protocol):
    """The ROS side of the console."""

    def watch(self) -> None:
        """Subscribes to the executive's state and tree, too."""


@dataclass(frozen=True)
class RunOptions:
    """One run, or a console that is attached to a system that runs already.

    Attributes:
        ros_arguments: `--ros-args …`, for all processes and the console's own client.
        run_dir: The existing folder of the run; None: attached.
        nodes: The processes to start.
        node_arguments: Command line arguments of each of them.
        fresh: Whether open goals of the previous run are not resumed.
        parts: Title and description of the parts in use, for the operator.
        parent: Forks the processes; None: attached.
    """

    config: Config
    ros_arguments: Sequence[str]
    run_dir: Path | None = None
    nodes: Sequence[NodeProcess] = ()
    node_arguments: Sequence[str] = ()
    fresh: bool = False
    parts: Sequence[tuple[str, str]] = ()
    parent: WarmParent | None = None

    @property
    def namespace(self) -> str:
        """The namespace of the robot."""
        return namespace_of(self.ros_arguments)

    @property
    def attached(self) -> bool:
        """Whether the system was started by another process."""
        return self.run_dir is None


MakeClient = Callable[[Config, Callable[[ClientEvent], None], Sequence[str]], Client]


@dataclass(frozen=True)
class _Screen:
    """The input and the output of a conversation; `terminal`: the live view, if there is one."""

    inbox: ConsoleInbox
    display: Display
    store: ViewStore
    interactive: bool = False
    terminal: Terminal | None = None


def run_up(options: RunOptions, make_client: MakeClient, plain: bool = False) -> int:
    """Runs the conversation with the operator on standard input; returns the exit code.

    At a terminal with a live view at its foot, unless `plain`.

    Raises:
        KeyboardInterrupt: It was interrupted while it could not write. Every process has ended.
    """
    greeting = f'Starting; everything is written to {options.run_dir}'
    return _run_conversation(options, make_client, plain, greeting)


def run_console(options: RunOptions, make_client: MakeClient, plain: bool = False) -> int:
    """Like `run_up`, attached to a system that runs already and goes on afterwards."""
    namespace, domain = namespace_of(options.ros_arguments), domain_of(os.environ)
    name = f'{namespace.rstrip("/")}/{EXECUTIVE}'
    greeting = (
        f'Looking for {name} in ROS domain {domain}; it keeps running when this console ends'
    )
    return _run_conversation(options, make_client, plain, greeting)


def _run_conversation(
    options: RunOptions, make_client: MakeClient, plain: bool, greeting: str
) -> int:
    interactive = sys.stdin is not None and sys.stdin.isatty()
    rich = options.config.executive.agent.rich_ui and not plain
    live = rich and interactive and sys.stdout.isatty() and _has_cursor_control(os.environ)
    screen = _live_screen(options) if live else _plain_screen(options, interactive)
    screen.display.info(greeting)
    _print_parts(screen, options)
    if interactive:
        screen.display.info('Type a goal for the robot, or :help')
    if screen.terminal is None:
        read_lines(0, screen.inbox.put_line)
    return _run_loop(options, make_client, screen)[0]


def run_demo(options: RunOptions, make_client: MakeClient, goal: str) -> int:
    """Pursues one goal and prints a summary; returns 0 only if the goal has succeeded."""
    screen = _plain_screen(options, interactive=False)
    screen.display.info(f'Starting the robot; everything is written to {options.run_dir}')
    _print_parts(screen, options)
    screen.inbox.put(InputLine(goal))
    screen.inbox.put(EndOfInput())
    code, repl = _run_loop(options, make_client, screen)
    end = repl.last_end
    if end is not None:
        summary: dict[str, Any] = {'outcome': end.outcome, 'answer': end.answer, **end.summary}
        screen.display.show_summary(summary)
    return NOT_REACHED if code == DONE and end is None else code


def _print_parts(screen: _Screen, options: RunOptions) -> None:
    for title, description in options.parts:
        screen.display.info(f'{title.capitalize()}: {description}')


def _has_cursor_control(environment: Mapping[str, str]) -> bool:
    """Return whether the terminal can move its cursor."""
    return environment.get('TERM', 'dumb') not in ('dumb', 'unknown')


def _plain_screen(options: RunOptions, interactive: bool) -> _Screen:
    agent = options.config.executive.agent
    store = ViewStore(time.monotonic, options.config)
    display = Display(
        Console(highlight=False),
        store.time,
        lambda request: page(request, store, options.config, options.namespace),
        live=agent.rich_ui and agent.verbose,
        verbose=agent.verbose,
    )
    return _Screen(ConsoleInbox(), display, store, interactive)


def _live_screen(options: RunOptions) -> _Screen:
    from bt_executive.console.live_view_and_prompt import Terminal  # not needed for plain lines

    inbox = ConsoleInbox()
    terminal = Terminal(Vocabulary(options.config), inbox.put, os.environ, options.config)
    display = Display(
        terminal.console,
        terminal.store.time,
        lambda request: page(request, terminal.store, options.config, options.namespace),
        live=False,  # the live view shows the model's output
        verbose=options.config.executive.agent.verbose,
    )
    return _Screen(inbox, display, terminal.store, interactive=True, terminal=terminal)


def _run_loop(options: RunOptions, make_client: MakeClient, screen: _Screen) -> tuple[int, Repl]:
    interrupts = Interrupts(screen.inbox)
    interrupts.listen()
    os.environ.update(children_environment(os.environ))
    if options.run_dir is not None:  # page and report count from the same time as these lines
        export_run_start(os.environ, screen.store.time.began())
    supervisor = Supervisor(
        options.nodes,
        [*options.node_arguments, *options.ros_arguments],
        (options.run_dir or Path()) / 'logs',
        os.environ,
        options.parent,
        first_arguments=first_arguments(options.fresh),
    )
    with ExitStack() as stack:
        stack.callback(interrupts.close)
        try:
            if screen.terminal is not None:
                screen.terminal.start()
            supervisor.start()
            client = make_client(options.config, screen.inbox.put, options.ros_arguments)
            # Closed last: nothing delays the end of the nodes, which stops the robot.
            stack.callback(client.close)
            if screen.terminal is not None:
                client.watch()
            repl = Repl(
                Vocabulary(options.config),
                client,
                screen.display,
                time.monotonic,
                one_at_a_time=not screen.interactive,
                attached=options.attached,
            )
            loop = _make_loop(screen, repl, supervisor, client, options.attached)
            try:
                with interrupts.guard():
                    code = loop.run()
            except KeyboardInterrupt:  # the output is not read, so nothing is printed
                client.cancel()
                raise
        finally:
            if screen.terminal is not None:
                screen.terminal.close()
            supervisor.end()
    return code, repl


def _make_loop(
    screen: _Screen, repl: Repl, supervisor: Supervisor, client: Client, attached: bool
) -> ConsoleLoop:
    narrator = Narrator(repl, screen.display, echo=screen.terminal is not None)
    watch = ExecutiveWatch(
        supervisor,
        client,
        repl,
        screen.display,
        patient=screen.interactive,
        attached=attached,
    )
    return ConsoleLoop(repl, narrator, watch, screen.store, screen.inbox)
