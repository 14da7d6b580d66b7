"""What is asked for by what it is not: the one that is known to be without it, or a question."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from embodied_nav.memory_values import Observation, Query, RecallOutcome
from embodied_nav.spatial_memory import SpatialMemory

SEEN = {  # label and captions
    'benches': ('bench', 'a wooden bench', 'a bench with a plaque'),
    'red one': ('bench', 'a red bench', 'a wooden bench'),
    'broken one': ('bench', 'a broken bench overgrown with nettles', 'a wooden bench'),
    'bridges': ('bridge', '谷川にかかる揺れるつり橋', 'a flat stone bridge over a ditch'),
    'printers': ('printer', 'a printer that is out of toner', '靠窗的小型黑白打印机'),
    'colours': ('bench', 'a blue bench', 'a bench with a plaque'),
    'materials': ('sledge', 'a long wooden sledge', 'a sledge with a rope'),
    'metals': ('box', 'a metal box', 'a box with a lid'),
    'trees': ('tree', 'a tall tree', 'a dead tree without leaves'),
}


@pytest.mark.parametrize(
    ('world', 'text', 'found'),
    [
        ('red one', "the bench that isn't red", 'a wooden bench'),
        ('red one', '赤くないベンチ', 'a wooden bench'),
        ('red one', '不是红色的长椅', 'a wooden bench'),
        ('broken one', 'a bench that is not broken', 'a wooden bench'),
        ('broken one', '壊れていないベンチ', 'a wooden bench'),
        ('trees', 'a tree without leaves', 'a dead tree without leaves'),
        ('colours', 'the bench that is not red', 'a blue bench'),
        ('colours', '赤くないベンチ', 'a blue bench'),
        ('materials', "a sledge that isn't plastic", 'a long wooden sledge'),
        ('metals', 'a box that is not steel', None),
        ('benches', "a bench that isn't broken", None),
        ('benches', '壊れていないベンチ', None),
        ('bridges', "a bridge that doesn't sway", None),
        ('printers', 'トナーが切れていないプリンター', None),
    ],
)
def test_nobody_is_led_to_what_may_be_denied(
    memory: SpatialMemory,
    seen: Callable[..., Observation],
    world: str,
    text: str,
    found: str | None,
) -> None:
    label, *captions = SEEN[world]
    for at, caption in enumerate(captions):
        memory.observe(seen(f'thing_{at}', 40.0 * at, 0.0, label=label, caption=caption))
    recall = memory.recall(Query(text=text))
    if found is None:
        assert recall.outcome is not RecallOutcome.FOUND
        assert recall.target is None
    else:
        assert recall.target is not None, recall.reason
        assert recall.target.caption == found
