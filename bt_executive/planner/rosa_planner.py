"""The planner that asks a chat model through ROSA, and loads its libraries at the first goal.

They take two seconds of computing, more than all else that the executive loads. After a start or a
restart the executive must first of all watch its robot and accept stops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
import gc
from importlib import import_module
import itertools
import sys
import threading
import time
from typing import TYPE_CHECKING

from bt_executive.core.executive_ports import (
    Barred,
    PlannerContext,
    PlannerNews,
    PlannerOutput,
    Proposal,
    ToolResult,
)
from bt_executive.planner.planner_run import EventQueue, Run, RunFailed
from bt_executive.planner.tool_calls_or_schema import ProposalForm
from rover_common.config.settings import Config, PlannerSettings
from rover_common.errors import ProtocolError
from rover_common.extras import missing_modules, needs_extra
from rover_common.llm.model_source import ModelSource
from rover_common.llm.model_usage import Meter, ModelUse
from rover_common.llm.retry_and_circuit_breaker import CircuitBreaker
from rover_common.process.threads import make_thread

if TYPE_CHECKING:
    from bt_executive.planner.exchange_record import Recorder

# Each takes at most half a second; a goal can be cancelled between two of them.
AGENT = 'bt_executive.planner.rosa_agent'
(EXTRA,) = PlannerSettings.extras
LIBRARIES = ('langsmith', 'langchain_core.prompts', 'openai', 'langchain.agents', 'rosa', AGENT)


def why_not_installed() -> str:
    """Return a sentence why goals in words are not supported here; empty: they are."""
    if not missing_modules(EXTRA):
        return ''
    return f'{needs_extra("A goal in words", EXTRA)} Tools can be called by hand.'


def load_libraries(check: Callable[[], None]) -> None:
    """Import the libraries of an agent; return at once if they are loaded.

    The process waits for the importing thread before it ends: libraries in C++ and Rust abort if a
    thread ends inside them.

    Args:
        check: Called between the libraries; its exception ends the loading.
    """
    if AGENT in sys.modules:
        return
    with garbage_collection_paused(), ThreadPoolExecutor(1, 'planner-libraries') as loader:
        for library in LIBRARIES:
            check()
            loader.submit(import_module, library).result()


@contextmanager
def garbage_collection_paused() -> Iterator[None]:
    """Pause garbage collection during imports, of which it takes a fifth of the time.

    Objects alive at the end are not collected any more, see `shorten_switch_interval`.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


class RosaPlanner:
    """Implements `Planner`. Each goal has its own agent in its own thread (a run).

    A cancelled run can neither be polled nor receive results: its connections are cut, and late
    outputs vanish with its mailbox.
    """

    def __init__(
        self,
        source: ModelSource,
        config: Config,
        wake: Callable[[], None],
        recorder: Recorder | None = None,
        warnings: Sequence[str] = (),
    ) -> None:
        """Initialize; no thread runs before `start`.

        Args:
            source: The chat model.
            config: The whole configuration.
            wake: Called from the worker thread whenever `poll` has a new output.
            recorder: Records the exchanges with the model; None: they are not recorded.
            warnings: Sentences that are reported first.
        """
        self._recorder = recorder
        self._source = source
        self._config = config
        self._settings = config.executive.planner
        self._wake = wake
        self._numbers = itertools.count(1)
        self._events = EventQueue()
        for each in warnings:
            self._events.notice(each, ok=False)
        self._circuit = CircuitBreaker(source.name, self._settings.circuit, self._events.notice)
        self._form = ProposalForm(self._settings.constrained, source, self._events.notice)
        self._meter = Meter(self._settings.price_per_million, self._settings.max_goal_tokens)
        self._threads: list[threading.Thread] = []
        self._run: Run | None = None
        self._awaits_result = False
        self._closed = False

    def start(self, goal: str, context: PlannerContext) -> None:
        if self._closed:
            raise ProtocolError('The planner was closed and cannot start another goal.')
        self.cancel()
        run = self._run = Run(self._wake, context.max_tool_calls, self._events)
        run.barred = self._hidden(context.barred)
        meter = self._meter = Meter(
            self._settings.price_per_million, self._settings.max_goal_tokens - context.tokens_used
        )
        thread = make_thread(
            lambda: run.work(lambda: self._pursue(run, meter, goal, context)),
            f'planner-{next(self._numbers)}',
            run.fail,
        )
        self._threads = [each for each in self._threads if each.is_alive()] + [thread]
        thread.start()

    def poll(self) -> PlannerOutput | None:
        output = self._run.next_output() if self._run else None
        if output is not None:
            self._awaits_result = isinstance(output, Proposal)
            if not self._awaits_result:
                self._run = None
        return output

    def give(self, result: ToolResult, barred: Barred = ()) -> None:
        if self._run is None:
            return
        if not self._awaits_result:
            raise ProtocolError('A result was given, but no proposal waits for one.')
        self._awaits_result = False
        self._run.give(result, self._hidden(barred))

    def cancel(self) -> None:
        if self._run:
            self._run.cancel()
        self._run = None
        self._awaits_result = False

    def news(self) -> tuple[PlannerNews, ...]:
        return self._events.fetch()

    def use(self) -> ModelUse:
        return self._meter.use

    def close(self, within_s: float = 0.0) -> None:
        self.cancel()
        self._closed = True
        deadline = time.monotonic() + within_s
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _hidden(self, barred: Barred) -> Barred:
        """Return the tools to hide; none from the offline model, which plans all steps at once."""
        return barred if self._source.is_served else ()

    def _pursue(self, run: Run, meter: Meter, goal: str, context: PlannerContext) -> PlannerOutput:
        if reason := why_not_installed():
            raise RunFailed(reason)
        load_libraries(run.check)
        from bt_executive.planner.rosa_agent import pursue_goal

        shared = self._config, self._source, self._circuit, self._form, self._recorder
        return pursue_goal(*shared, run, meter, goal, context)
