"""Two rovers on one PostgreSQL: each recalls what the other saw."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from embodied_nav.observation import Observation
from embodied_nav.query_and_recall_types import Query, RecallOutcome
from embodied_nav.spatial_memory import open_memory

pytestmark = pytest.mark.process

See = Callable[..., Observation]


def test_each_rover_recalls_what_the_other_saw(database: str, seen: See) -> None:
    one, two = open_memory(database), open_memory(database)
    stored = one.observe(seen('layered_rock', 5.0))
    two.observe(seen('cairn', 7.0, label='marker'))
    there = two.recall(Query(text='layered rock'))
    assert there.target is not None
    assert there.target.node_id == stored.node_id
    assert there.target.relations == ('cairn is 2.0 m east of layered_rock',)
    assert one.recall(Query(text='cairn')).target
    two.retract(stored.node_id, 'gone', 30.0)
    assert one.recall(Query(text='layered rock')).outcome is RecallOutcome.ABSENT
    one.close()
    two.close()


def test_a_database_of_an_earlier_version_is_brought_up_to_date(database: str, seen: See) -> None:
    open_memory(database).close()
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute('ALTER TABLE embodied_nav.nodes DROP COLUMN retracted_at')
    rover = open_memory(database)
    stored = rover.observe(seen())
    assert rover.retract(stored.node_id, 'gone', 30.0).ok
    rover.close()


def test_rovers_that_see_at_once_make_one_forest(database: str, seen: See) -> None:
    rovers = [open_memory(database) for _ in range(2)]

    def explore(at: int) -> None:
        for number in range(8):
            rovers[at].observe(seen(f'rock_{at}_{number}', 3.0 * number, float(at)))

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(explore, range(2)))
    things = [node for node in rovers[0].places() if node.level == 0]
    assert len({node.node_id for node in things}) == 16
    shape = [(node.position, node.count) for node in rovers[0].places() if node.level]
    rovers[1].build()
    assert sorted(shape) == sorted((n.position, n.count) for n in rovers[0].places() if n.level)
    for rover in rovers:
        rover.close()
