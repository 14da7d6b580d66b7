"""A run that was killed, and the one that went on with its goal, each in a folder of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from lives import DiskJournal, past_of
from recorded_run import RecordedRun
from tree_bench import MakeBench, Propose

from bt_executive.core.journal_records import LifeBegan
from bt_executive.core.ports import Answer, PlannerOutput
from bt_executive.core.tracer import Tracer


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
    journal = DiskJournal(life=1)
    first = bench(*before, Answer('Nothing there.'), propose('capture_and_score'), None)
    began = LifeBegan(run_id='first.1', run_dir='', pid=1, boot_id='b', version='1')
    journal.put(first.moment, began)
    one = record(folder / 'first', first, 'first.1', journal=journal)
    first.goal('look at the sky')
    one.until_ended()
    first.goal('look around')
    for _ in range(20):
        first.status()
        one.tick()
        for _session, name in first.robot.sent[-1:]:
            first.robot.answer(name, **one._reply(name, iter([0.3])))
    one.close()
    journal.life = 2
    second = bench(propose('capture_and_score'), Answer('Bright sand.'))
    second.now = second._ros = second._at = first.now + 5.0
    tracer = Tracer('second', [second._trace, second.memory], lambda: second.now)
    second.recast(tracer=tracer)
    past = past_of(journal.entries)
    two = record(folder / 'second', second, 'second.2', journal=journal, past=past)
    two.until_ended([0.9])
    two.close()
    return one, two
