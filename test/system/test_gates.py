"""`up` with the shipped turtlebot: its gate holds whatever becomes of the processes around it.

One system for all cases. The base drives on for ever with the last velocity that it got.
"""

from __future__ import annotations

from collections.abc import Callable
import time
from typing import Any

from diff_drive import DiffDrive
from late_heartbeats import is_late
from papers import ROOT
import pytest
import rclpy
from spinning import spinning
from suspension import suspended
from waiting import wait_until

from rover_common.ros.low_latency_executor import LowLatencyExecutor

pytestmark = [pytest.mark.ros, pytest.mark.system]

TURTLEBOT = ROOT / 'config' / 'robots' / 'turtlebot'
AGAIN_S = 0.2  # between two goals that are refused
PERIOD_S = 0.05  # of its odometry: all that is done here follows it
DRIVE = ':tool drive {"distance_m": 3}\n'
STANDS_WITHIN_S = 0.5  # beside a machine that does not let the gate run, more: tried again
# Of gates that have died: their status is missed after 0.5 s; SAFE would come after 1.5 s only.
STANDS_PAST_GATES_WITHIN_S = 1.0
TRIES = 10
MISSED = 'No status from the adapter for'


class Case:
    """The system, and the base that it drives."""

    def __init__(self, run: Any, base: DiffDrive) -> None:
        self.run, self.base = run, base

    def set_off(self) -> None:
        """Asks for a drive until the base moves: after a restart its guards wait.

        A drive that comes while the base has just ended another one is refused, so it is asked
        for again.
        """
        ended = len(self.run.goal_ends())
        self.run.write(DRIVE)

        def drives() -> bool:
            nonlocal ended
            if not self.base.moves and len(self.run.goal_ends()) > ended:
                ended = len(self.run.goal_ends())
                self.run.write(':reset\n' + DRIVE)  # the case before may have made it SAFE
            return self.base.moves

        wait_until(drives, lambda: f'it drives:\n{self.run.output}', 60.0, AGAIN_S)

    def goal_end_of(self, line: str) -> dict[str, Any]:
        """Types a goal and returns what its end says."""
        before = len(self.run.goal_ends())
        self.run.write(line)
        wait_until(
            lambda: len(self.run.goal_ends()) > before, lambda: f'it ends:\n{self.run.output}'
        )
        return dict(self.run.goal_ends()[before])

    def stood_after(self, since: float) -> float:
        """How long the base went on, in s."""
        wait_until(lambda: not self.base.moves, lambda: f'it stands:\n{self.run.output}', 20.0)
        return self.base.moved_at - since

    def process(self, module: str) -> Any:
        found = {}

        def there() -> bool:
            found.update(self.run.processes())
            return module in found

        wait_until(there, f'{module} runs', 60.0, 0.05)
        return found[module]


def test_the_base_stands_whatever_becomes_of_the_executive_and_of_its_gate(
    start: Callable[..., Any],
) -> None:
    run = start('up', '--config', str(TURTLEBOT), '--without', 'memory', bare=True)
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=run.domain)
    base = DiffDrive(context, period_s=PERIOD_S)
    executor = LowLatencyExecutor(context=context)
    executor.add_node(base)
    with spinning(executor):
        case = Case(run, base)
        case.process('executive_node'), case.process('gates_node')
        _drives_as_far_as_it_was_asked(case)
        _stands_after(case, 'the executive is killed', lambda: run.kill('executive_node'))
        _stands_after(case, 'the executive is suspended', lambda: _suspend(case, 'executive_node'))
        _ends_with_its_gate(case)
        _is_stopped_past_a_gate_that_is_suspended(case)
        run.write(':stop\n:quit\n')  # the last drive goes on by itself
        assert run.finish() == 1, run.output  # drives were stopped
    executor.shutdown()
    base.destroy_node()
    context.try_shutdown()


def _drives_as_far_as_it_was_asked(case: Case) -> None:
    for _ in range(TRIES):
        begin = case.base.x
        end = case.goal_end_of(':tool drive {"distance_m": 0.3}\n')
        assert not case.base.moves
        if end['outcome'] == 'reached':
            assert case.base.x - begin == pytest.approx(0.3, abs=0.05)
            return
        # The machine did not let the executive run, the adapter, or the base of this test.
        reasons = ('fallen silent', 'no new odometry has come')
        is_busy = is_late(end['answer']) or any(each in end['answer'] for each in reasons)
        assert is_busy, end
    raise AssertionError(case.run.output)


def _stands_after(
    case: Case, what: str, happens: Callable[[], float], within_s: float = STANDS_WITHIN_S
) -> None:
    took = []
    for _ in range(TRIES):
        case.set_off()
        took.append(case.stood_after(happens()))
        if took[-1] <= within_s:
            return
    raise AssertionError(f'{what}: the base stood after {took} s')


def _suspend(case: Case, module: str) -> float:
    with suspended(case.process(module)):
        since = time.monotonic()
        wait_until(lambda: not case.base.moves, 'it stands', 20.0)
    return since


def _ends_with_its_gate(case: Case) -> None:
    """Whether the gate is back before its silence makes SAFE, or after that."""
    case.process('executive_node')
    ended = len(case.run.goal_ends())
    _stands_after(
        case, 'its gate is killed', lambda: case.run.kill('gates_node'), STANDS_PAST_GATES_WITHIN_S
    )

    def is_told() -> bool:
        answers = [each['answer'] for each in case.run.goal_ends()[ended:]]
        return any(MISSED in each or 'the adapter is silent' in each for each in answers)

    wait_until(is_told, lambda: f'it ends:\n{case.run.output}', 50.0)
    case.process('gates_node')


def _is_stopped_past_a_gate_that_is_suspended(case: Case) -> None:
    before = len(case.run.events(kind='ERROR'))
    _stands_after(
        case,
        'its gate is suspended',
        lambda: _suspend(case, 'gates_node'),
        STANDS_PAST_GATES_WITHIN_S,
    )
    wait_until(
        lambda: len(case.run.events(kind='ERROR')) > before,
        lambda: f'the executive says so:\n{case.run.output}',
        20.0,
    )
