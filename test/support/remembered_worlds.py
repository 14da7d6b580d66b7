"""Small worlds of a few things with their captions, and memories of them."""

from __future__ import annotations

from collections.abc import Mapping
import random

from fakes.models import FakeChat, FakeEmbedder

from embodied_nav.observation import Observation
from embodied_nav.query_and_recall_types import Query, Recall
from embodied_nav.spatial_memory import SpatialMemory, open_memory
from embodied_nav.store.sqlite_store import SqliteStore
from rover_common.llm.sentence_encoder import MODEL

# name: class, x, y, caption
Things = Mapping[str, tuple[str, float, float, str]]
NOW = 10_000.0
PLAIN: Things = {
    'Bishop': ('rock', 24, 10, 'layered rock with pale and dark bands and a flat top'),
    'Red Anvil': ('rock', 10, -8, 'reddish block, split in the middle by frost'),
    'Ivory': ('rock', 26, -6, 'white vein of gypsum in grey bedrock'),
    'base camp': ('place', 0, 0, ''),
}
HARBOUR: Things = {
    'crate 7': ('crate', 3, 4, 'a wooden crate with rusty hinges'),
    'crate 12': ('crate', 30, 4, 'a steel crate painted yellow'),
    'Old Tom': ('crane', 50, 9, 'tall crane with a broken hook'),
    'Gull': ('boat', 70, -3, 'small blue boat, upside down'),
    'rope': ('rope', 31, 20, 'a coil of thick rope'),
    'north pier': ('place', 80, 0, ''),
}
ORCHARD: Things = {
    'tree_a': ('tree', 5, 5, 'an apple tree with a hollow trunk'),
    'tree_b': ('tree', 40, 5, 'an old pear tree without leaves'),
    'Well': ('well', 20, 30, 'a round stone well, covered with planks'),
    'cart': ('cart', 60, 30, 'handcart with two wheels, full of baskets'),
    'pond': ('pond', 90, 30, 'shallow pond, muddy at the edge'),
}
MESA: Things = {
    'dune': ('sand', 10, 10, 'smooth sand in long ripples'),
    'slab_1': ('rock', 40, 10, 'flat slab, cracked like dry mud'),
    'slab_2': ('rock', 70, 10, 'huge slab leaning against the wall'),
    'pebbles': ('rock', 100, 10, 'a heap of tiny rounded pebbles'),
    'bowl': ('crater', 130, 10, 'shallow crater with a dusty floor'),
}
STORE: Things = {
    'shelf A': ('shelf', 3, 4, 'a metal shelf with three boards, full of paint cans'),
    'shelf B': ('shelf', 23, 4, 'a low wooden shelf, empty'),
    'Gate': ('door', 50, 9, 'a heavy green door with a round window'),
    'chair': ('chair', 70, -3, 'office chair with one wheel missing'),
    'tap': ('tap', 31, 20, 'dripping water tap above a sink'),
}
JAPANESE: Things = {
    '岩一': ('岩', 5, 5, '赤い岩、表面が平ら'),
    '砂丘': ('砂', 40, 5, '柔らかい砂の丘'),
    '穴': ('クレーター', 80, 5, '小さなクレーター、縁が白い'),
}
CHINESE: Things = {
    '石一': ('岩石', 5, 5, '一块红色的岩石，表面平坦'),
    '沙一': ('沙丘', 40, 5, '柔软的沙丘'),
    '坑一': ('陨石坑', 80, 5, '很小的陨石坑，边缘是白色的'),
}
WORLDS = {
    'plain': PLAIN,
    'harbour': HARBOUR,
    'orchard': ORCHARD,
    'mesa': MESA,
    'store': STORE,
    'japanese': JAPANESE,
    'chinese': CHINESE,
}


def memory_of(things: Things) -> SpatialMemory:
    memory = open_memory(':memory:', clock=lambda: NOW)
    for name, (label, x, y, caption) in things.items():
        writer = 'operator' if label == 'place' else 'percept'
        memory.observe(
            Observation(
                name=name,
                label=label,
                caption=caption,
                position=(x, y, 0.0),
                stamp=NOW - 60.0,
                writer=writer,  # type: ignore[arg-type]
            )
        )
    memory.settle()
    return memory


def asked(memory: SpatialMemory, text: str) -> Recall:
    return memory.recall(Query(text=text))


def led_to(found: Recall) -> str:
    """The name of the place to go to; the reason where there is none."""
    return found.target.name if found.target else found.reason


# Its scores are taken for those of the own encoder, so nothing is learned of them.
EMBEDDER = FakeEmbedder(
    ('layered', 'rock', 'sand', 'dune', 'dark', 'vein', 'flat', 'outcrop', 'track', 'cairn'), MODEL
)
KINDS = ('layered rock', 'sand dune', 'dark vein', 'flat outcrop', 'wheel track', 'cairn')


def clock() -> float:
    return 100.0


def sown(store: SqliteStore, count: int, chat: FakeChat | None = None) -> SpatialMemory:
    """A memory with things at random places within 60 m."""
    memory = SpatialMemory(store, EMBEDDER, clock, chat)
    chance = random.Random(7)
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        memory.observe(
            Observation(
                name=f'{kind.replace(" ", "_")}_{number}',
                label=kind,
                caption=f'{kind} number {number} on the plain',
                position=(chance.uniform(0, 60), chance.uniform(0, 60), 0.0),
                stamp=10.0,
            )
        )
    return memory
