"""A run that was killed, and the one that went on with its goal, each in a folder of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from lives import DiskStore, saved_of
from recorded_run import RecordedRun
from tree_bench import MakeBench, Propose

from bt_executive.core.executive_ports import Answer, PlannerOutput
from bt_executive.core.trace import Tracer
from bt_executive.tree.resume_from_checkpoints import RunBegins


def killed_run(
    bench: MakeBench,
    propose: Propose,
    folder: Path,
    record: Callable[..., RecordedRun] = RecordedRun,
    before: Sequence[PlannerOutput] = (),
) -> tuple[RecordedRun, RecordedRun]:
    """Records both: two goals, of which the second one goes on after the kill.

    The folders are `first` and `second`. `before`: what is proposed before the first answer.
    """
    store = DiskStore()
    first = bench(*before, Answer('Nothing there.'), propose('capture_and_score'), None)
    store.begin(first.moment, 'first.1')
    one = record(folder / 'first', first, 'first.1', store=store, begins=RunBegins(1))
    first.goal('look at the sky')
    one.until_ended()
    first.goal('look around')
    for _ in range(20):
        first.status()
        one.tick()
        for _server_call_id, name in first.robot.sent[-1:]:
            first.robot.answer(name, **one._reply(name, iter([0.3])))
    one.close()
    second = bench(propose('capture_and_score'), Answer('Bright sand.'))
    second.now = second._ros = second._at = first.now + 5.0
    tracer = Tracer('second', [second._trace, second.memory], lambda: second.now)
    second.recast(tracer=tracer)
    begins = RunBegins(2, saved_of(store.puts), second.moment)
    two = record(folder / 'second', second, 'second.2', store=store, begins=begins)
    two.until_ended([0.9])
    two.close()
    return one, two
