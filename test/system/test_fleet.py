"""Two rovers and executives with one memory, on PostgreSQL: each drives to what the other saw.

The second rover's world lacks what the first one sees, so that all it knows of it is the memory's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
import tempfile
from typing import Any

from late_heartbeats import TRIES, pauses
from lean import BLIND
from packaged_postgres import Postgres, packaged_postgres
import pytest
from waiting import wait_until

pytestmark = [pytest.mark.ros, pytest.mark.system]

WORLD = """
description: "A plain with one rock."
rocks: { count: 0 }
features:
  - { name: "Tall Totem", kind: rock, x: 8.0, y: 0.0, size_m: 0.6, height_m: 1.4,
      caption: "dark pointed rock" }
"""
TOTEM = 'removed:Tall Totem'
QUESTION = ':recall where is the dark pointed rock?\n'
VISIT = ':tool go_to_remembered {"text": "the dark pointed rock"}\n'
LOOK_S = 0.05  # reads files of the run


@pytest.fixture
def server() -> Iterator[Postgres]:
    folder = Path(tempfile.mkdtemp(prefix='bt_executive-fleet-'))
    folder.chmod(0o755)  # for root it runs as another user
    with packaged_postgres(folder) as running:
        yield running


def hears(run: Any, *answers: str) -> None:
    """Asks where the rock is, again and again, until one of these is the answer."""
    before = [len(run.output)]

    def heard() -> bool:
        seen = run.output
        new = seen[before[0] :]
        if any(each in new for each in answers):
            return True
        if '\n' in new:  # another answer, perhaps
            before[0] = len(seen)
            run.write(QUESTION)
        return False

    run.write(QUESTION)
    wait_until(heard, lambda: f'{answers}:\n{run.output}', 120.0, 1.0)


def ended(run: Any, line: str, on_the_way: Callable[[], None] | None = None) -> dict[str, Any]:
    """Types a goal, again if a process was not let run for a moment; how it ended."""
    for _ in range(TRIES):
        before, paused = len(run.goal_ends()), pauses(run)
        acts = len(run.events(kind='ACT'))
        run.write(line)
        if on_the_way is not None:
            run.wait_for_event(kind='ACT', count=acts + 1)
            on_the_way()
        wait_until(
            lambda: len(run.goal_ends()) > before,  # noqa: B023
            lambda: f'{line} ends:\n{run.output}',
            120.0,
            LOOK_S,
        )
        if pauses(run) == paused or run.goal_ends()[-1]['outcome'] == 'reached':
            break
    end: dict[str, Any] = run.goal_ends()[-1]
    return end


def test_each_drives_to_what_the_other_saw_and_not_to_what_it_retracted(
    start: Callable[..., Any], server: Postgres, tmp_path: Path
) -> None:
    world = tmp_path / 'totem.yaml'
    world.write_text(WORLD)
    shared = (
        *(*BLIND, '--without', 'visualizer', '--without', 'vision', '--fresh'),
        *('--set', f'rover.world={world}', '--set', f'memory.store={server.address}'),
        *('--set', 'memory.view_m=5'),  # from where it stands then the second one cannot judge it
    )
    one = start('up', *shared, bare=True)
    two = start('up', *shared, '--set', f'rover.faults=["{TOTEM}"]', bare=True)
    for run in (one, two):
        run.wait_for_rover()
        run.write(':mast_close\n')
    hears(one, 'Tall Totem')
    hears(two, 'Tall Totem')

    # A server that hangs while the second rover drives costs nothing but the memory.
    hanging = server.suspend()
    assert ended(two, ':goto 1.0 0\n')['outcome'] == 'reached'
    for each in hanging:
        each.resume()
    hears(two, 'Tall Totem')

    # Nor does one that is killed then; it is told, and when it runs again, all is known again.
    def kill() -> None:
        server.start()  # killed by an earlier try
        server.kill()

    assert ended(two, ':goto 2.0 0\n', kill)['outcome'] == 'reached'
    hears(two, 'cannot be used')
    server.start()
    hears(two, 'Tall Totem')

    one.write(f':fault {TOTEM}\n')
    before = len(two.goal_ends())
    visit = ended(two, VISIT)
    driven = sum(each['distance_m'] for each in two.goal_ends()[before:])  # in all tries
    # A drive that a busy machine ends early is shorter; the look is then made from there.
    assert driven > 0.1, visit['answer']
    assert 'retracted' in str(two.events(tool_name='go_to_remembered'))
    hears(one, 'found to be gone')
    assert ended(one, VISIT)['distance_m'] < 0.1
    for run in (one, two):
        run.write(':quit\n')
        run.finish()
