"""`bt-executive demo`, `up`, `console`: processes, client, screen, conversation put together."""

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
from bt_executive.console.console_loop import ConsoleInbox, ConsoleSession
from bt_executive.console.console_output import Display
from bt_executive.console.console_view import ViewStore
from bt_executive.console.interrupts import Interrupts
from bt_executive.console.narrator import Narrator
from bt_executive.console.repl import Repl
from bt_executive.console.standard_input import read_lines
from bt_executive.console.trace_skill_and_cost_tables import page
from bt_executive.console.wait_for_executive import ExecutiveWatch
from bt_executive.launching.node_process import NodeProcess, children_environment
from bt_executive.launching.supervisor import Supervisor
from bt_executive.launching.system_processes import first_arguments
from rover_common.config.settings import Config
from rover_common.exit_codes import DONE, NOT_REACHED
from rover_common.node_names import EXECUTIVE
from rover_common.process.run_start import export_run_start
from rover_common.process.warm_parent import WarmParent
from rover_common.ros.ros_arguments import domain_of, namespace_of

if TYPE_CHECKING:
    from bt_executive.console.live_view_assembly import Terminal


class Client(ConsolePort, Protocol):
    """The ROS side of the console."""

    def watch(self) -> None:
        """From now on tells of the executive's state and tree, too."""


@dataclass(frozen=True)
class RunOptions:
    """One run, or one visit to a system that runs already.

    Attributes:
        ros_arguments: `--ros-args …`, for all processes and the console's own client.
        run_dir: An existing folder that takes everything the run writes; None: a visit.
        nodes: The processes to start.
        node_arguments: Command line arguments that each of them gets.
        fresh: No goal is resumed that a previous run has left open.
        parts: Title and words of what is in use, for the operator.
        parent: Forks the processes; None: a visit.
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
        """Of the robot."""
        return namespace_of(self.ros_arguments)

    @property
    def attached(self) -> bool:
        """Whether the system is somebody else's."""
        return self.run_dir is None


MakeClient = Callable[[Config, Callable[[ClientEvent], None], Sequence[str]], Client]


@dataclass(frozen=True)
class _Scene:
    """Where a conversation takes place; `terminal`: the live view, if there is one."""

    inbox: ConsoleInbox
    display: Display
    store: ViewStore
    interactive: bool = False
    terminal: Terminal | None = None


def run_up(options: RunOptions, make_client: MakeClient, plain: bool = False) -> int:
    """Talks with the operator on standard input; returns the exit code.

    At a terminal with a live view at its foot, unless `plain` lines are wanted.

    Raises:
        KeyboardInterrupt: It was told to end while it could not write. Nothing runs any more.
    """
    greeting = f'Starting; everything is written to {options.run_dir}'
    return _talk(options, make_client, plain, greeting)


def run_console(options: RunOptions, make_client: MakeClient, plain: bool = False) -> int:
    """Like `run_up`, with a system that somebody else has started and that goes on afterwards."""
    space, domain = namespace_of(options.ros_arguments), domain_of(os.environ)
    name = f'{space.rstrip("/")}/{EXECUTIVE}'
    greeting = (
        f'Looking for {name} in ROS domain {domain}; it keeps running when this console ends'
    )
    return _talk(options, make_client, plain, greeting)


def _talk(options: RunOptions, make_client: MakeClient, plain: bool, greeting: str) -> int:
    interactive = sys.stdin is not None and sys.stdin.isatty()
    rich = options.config.executive.agent.rich_ui and not plain
    live = rich and interactive and sys.stdout.isatty() and _can_move(os.environ)
    scene = _live_scene(options) if live else _plain_scene(options, interactive)
    scene.display.say(greeting)
    _say_parts(scene, options)
    if interactive:
        scene.display.say('Type a goal for the robot, or :help')
    if scene.terminal is None:
        read_lines(0, scene.inbox.put_when_there_is_room)
    return _converse(options, make_client, scene)[0]


def run_demo(options: RunOptions, make_client: MakeClient, goal: str) -> int:
    """Pursues one goal and sums up; returns 0 only if it was reached, or answered if it asks."""
    scene = _plain_scene(options, interactive=False)
    scene.display.say(f'Starting the robot; everything is written to {options.run_dir}')
    _say_parts(scene, options)
    scene.inbox.put(InputLine(goal))
    scene.inbox.put(EndOfInput())
    code, repl = _converse(options, make_client, scene)
    end = repl.last_end
    if end is not None:
        summary: dict[str, Any] = {'outcome': end.outcome, 'answer': end.answer, **end.summary}
        scene.display.show_summary(summary)
    return NOT_REACHED if code == DONE and end is None else code


def _say_parts(scene: _Scene, options: RunOptions) -> None:
    for title, words in options.parts:
        scene.display.say(f'{title.capitalize()}: {words}')


def _can_move(environment: Mapping[str, str]) -> bool:
    """Whether the terminal has a cursor that can be moved."""
    return environment.get('TERM', 'dumb') not in ('dumb', 'unknown')


def _plain_scene(options: RunOptions, interactive: bool) -> _Scene:
    agent = options.config.executive.agent
    store = ViewStore(time.monotonic, options.config)
    display = Display(
        Console(highlight=False),
        store.time,
        lambda look: page(look, store, options.config, options.namespace),
        live=agent.rich_ui and agent.verbose,
        verbose=agent.verbose,
    )
    return _Scene(ConsoleInbox(), display, store, interactive)


def _live_scene(options: RunOptions) -> _Scene:
    from bt_executive.console.live_view_assembly import Terminal  # plain lines need none of it

    inbox = ConsoleInbox()
    terminal = Terminal(Vocabulary(options.config), inbox.put, os.environ, options.config)
    display = Display(
        terminal.console,
        terminal.store.time,
        lambda look: page(look, terminal.store, options.config, options.namespace),
        live=False,  # the view shows what the model is saying
        verbose=options.config.executive.agent.verbose,
    )
    return _Scene(inbox, display, terminal.store, interactive=True, terminal=terminal)


def _converse(options: RunOptions, make_client: MakeClient, scene: _Scene) -> tuple[int, Repl]:
    interrupts = Interrupts(scene.inbox)
    interrupts.listen()
    os.environ.update(children_environment(os.environ))
    if options.run_dir is not None:  # page and report count from where these lines do
        export_run_start(os.environ, scene.store.time.began())
    supervisor = Supervisor(
        options.nodes,
        [*options.node_arguments, *options.ros_arguments],
        (options.run_dir or Path()) / 'logs',
        os.environ,
        options.parent,
        first_arguments=first_arguments(options.fresh),
    )
    with ExitStack() as at_last:
        at_last.callback(interrupts.close)
        try:
            if scene.terminal is not None:
                scene.terminal.start()
            supervisor.start()
            client = make_client(options.config, scene.inbox.put, options.ros_arguments)
            # Last of all: nothing delays the end of the nodes, which stops the robot.
            at_last.callback(client.close)
            if scene.terminal is not None:
                client.watch()
            repl = Repl(
                Vocabulary(options.config),
                client,
                scene.display,
                time.monotonic,
                one_at_a_time=not scene.interactive,
                attached=options.attached,
            )
            session = _session(scene, repl, supervisor, client, options.attached)
            try:
                with interrupts.guard():
                    code = session.run()
            except KeyboardInterrupt:  # nobody reads what is written here: no more words
                client.cancel()
                raise
        finally:
            if scene.terminal is not None:
                scene.terminal.close()
            supervisor.end()
    return code, repl


def _session(
    scene: _Scene, repl: Repl, supervisor: Supervisor, client: Client, attached: bool
) -> ConsoleSession:
    narrator = Narrator(repl, scene.display, echo=scene.terminal is not None)
    watch = ExecutiveWatch(
        supervisor,
        client,
        repl,
        scene.display,
        patient=scene.interactive,
        attached=attached,
    )
    return ConsoleSession(repl, narrator, watch, scene.store, scene.inbox)
