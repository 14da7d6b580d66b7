"""A world of a rover and questions about it, for measurements. Seeded.

Captions are written by one grammar, questions by another: besides the names of classes that every
geologist shares, their words come from disjoint columns of `WORDS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
import math
import random

from embodied_nav.observation import Observation, Position

# thing: (in captions, in questions, what it is good for, in Japanese)
WORDS = {
    'ventifact': ('ventifact carved by wind', 'ventifact', 'wind direction of the past', '風食礫'),
    'outcrop': ('outcrop of bedrock', 'outcrop', 'a place to drill solid ground', '露頭'),
    'ripple': ('ripple of sand', 'ripple', 'where wheels may sink in', '砂紋'),
    'vein': ('mineral vein', 'vein', 'traces of old water', '鉱脈'),
    'cobble': ('rounded cobble', 'cobble', 'what a river once carried', '丸石'),
    'crater': ('small crater', 'crater', 'what a hit left behind', 'クレーター'),
    'cairn': ('cairn made by people', 'cairn', 'a mark to steer by', 'ケルン'),
    'boulder': ('boulder higher than the deck', 'boulder', 'shelter for the mast', '巨岩'),
}
# attribute: in captions, in questions
LOOKS = {
    'layered': ('thin parallel beds', 'layered'),
    'dark': ('dark as basalt', 'blackish'),
    'bright': ('bright surface', 'pale'),
    'pitted': ('many small holes', 'pitted'),
    'cracked': ('polygonal cracks', 'fractured'),
    'dusty': ('a coat of dust', 'dusty'),
}
ABSENT = ('parachute', 'glacier', 'antenna', 'fence', 'bicycle', 'waterfall', 'greenhouse', 'pier')
OPENINGS = ('where is', 'which way to', 'locate', 'can you recall')
SOL_S = 88_775.0
LAST_SOL = 31  # time of the questions
SIGHTINGS = 3  # of one thing, each with its own error of measurement
MOVED = 10  # every so many-th thing was moved


@dataclass(frozen=True)
class Thing:
    """What there is."""

    name: str
    kind: str
    look: str
    place: Position
    sol: int
    region: str
    was_at: Position | None = None  # before it was moved

    @property
    def speaks_japanese(self) -> bool:
        """Whether its caption is in Japanese: every fifth is."""
        return int(self.name.rsplit('_', 1)[1]) % 5 == 0

    def observations(self, rng: random.Random) -> list[Observation]:
        """As it was seen: before it was moved, and three times since."""
        seen = [self.observation(rng) for _ in range(SIGHTINGS)]
        if self.was_at is None:
            return seen
        return [replace(seen[0], position=self.was_at, stamp=seen[0].stamp - SOL_S), *seen]

    def observation(self, rng: random.Random) -> Observation:
        """How it is seen: with noise, described by the captions' grammar."""
        words, look = WORDS[self.kind][0], LOOKS[self.look][0]
        caption = f'{words}, {look}, in the {self.region}'
        if self.speaks_japanese:
            caption = f'{self.region}にある{WORDS[self.kind][3]}を見た'
        x, y, z = self.place
        return Observation(
            name=self.name,
            label=self.kind,
            caption=caption,
            position=(x + rng.gauss(0, 0.1), y + rng.gauss(0, 0.1), z),
            stamp=self.sol * SOL_S,
        )


@dataclass(frozen=True)
class Asked:
    """A question, and the names of the things that are right answers; none: it is absent."""

    kind: str
    text: str
    right: frozenset[str]
    near: Position | None = None
    max_age_s: float | None = None
    counts: bool = False


REGIONS = ('north rim', 'dune field', 'delta front', 'ejecta blanket', 'valley floor')


def world(count: int, seed: int) -> list[Thing]:
    """Things, spread so that there are 0.0025 of them on each square metre."""
    rng = random.Random(seed)
    side = math.sqrt(count / 0.0025)
    things = []
    for number in range(count):
        kind, look = rng.choice(sorted(WORDS)), rng.choice(sorted(LOOKS))
        place = (round(rng.uniform(0, side), 2), round(rng.uniform(0, side), 2), 0.0)
        region = REGIONS[min(len(REGIONS) - 1, int(place[0] / side * len(REGIONS)))]
        name = f'{kind}_{number}'
        before = (place[0] + 40.0, place[1], 0.0) if number % MOVED == 3 else None
        things.append(Thing(name, kind, look, place, rng.randint(1, 30), region, before))
    return things


def questions(things: Sequence[Thing], each: int, seed: int) -> list[Asked]:
    """Number of questions of each type."""
    rng = random.Random(seed)
    makers = (
        *(_explicit, _attribute, _implicit, _region, _nearest, _relation),
        *(_negation, _before, _absent, _japanese, _moved, _stale, _counted),
    )
    return [maker(rng.choice(things), things, rng) for maker in makers for _ in range(each)]


def _names(things: Sequence[Thing], kind: str, look: str = '', region: str = '') -> frozenset[str]:
    return frozenset(
        thing.name
        for thing in things
        if thing.kind == kind
        and (not look or thing.look == look)
        and (not region or thing.region == region)
    )


def _explicit(thing: Thing, _things: Sequence[Thing], rng: random.Random) -> Asked:
    number = thing.name.rsplit('_', 1)[1]
    text = f'{rng.choice(OPENINGS)} {WORDS[thing.kind][1]} number {number}?'
    return Asked('explicit', text, frozenset({thing.name}))


def _attribute(thing: Thing, things: Sequence[Thing], rng: random.Random) -> Asked:
    text = f'{rng.choice(OPENINGS)} a {LOOKS[thing.look][1]} {WORDS[thing.kind][1]}?'
    return Asked('attribute', text, _names(things, thing.kind, thing.look))


def _implicit(thing: Thing, things: Sequence[Thing], rng: random.Random) -> Asked:
    text = f'{rng.choice(OPENINGS)} {WORDS[thing.kind][2]}?'
    return Asked('implicit', text, _names(things, thing.kind))


def _region(thing: Thing, things: Sequence[Thing], rng: random.Random) -> Asked:
    text = f'{rng.choice(OPENINGS)} a {WORDS[thing.kind][1]} of the {thing.region}?'
    return Asked('region', text, _names(things, thing.kind, region=thing.region))


def _nearest(thing: Thing, things: Sequence[Thing], rng: random.Random) -> Asked:
    here = (thing.place[0] + rng.uniform(-9, 9), thing.place[1] + rng.uniform(-9, 9), 0.0)
    alike = [each for each in things if each.kind == thing.kind]
    closest = min(alike, key=lambda each: math.dist(each.place, here))
    return Asked('nearest', f'the nearest {WORDS[thing.kind][1]}', frozenset({closest.name}), here)


def _relation(thing: Thing, things: Sequence[Thing], rng: random.Random) -> Asked:
    """A thing by its appearance and its neighbour: on which side, or just beside it."""
    others = [each for each in things if each is not thing]
    mark = min(others, key=lambda each: math.dist(each.place, thing.place))
    side = rng.choice(('', side_of(mark.place, thing.place)))
    closer = [
        each.name
        for each in others
        if each.kind == thing.kind
        and each is not mark
        and math.dist(each.place, mark.place) <= math.dist(thing.place, mark.place)
        and (not side or side_of(mark.place, each.place) == side)
    ]
    beside = f'{side} of' if side else rng.choice(('beside', 'next to', 'close to'))
    number = mark.name.rsplit('_', 1)[1]
    look, what = LOOKS[thing.look][1], WORDS[thing.kind][1]
    text = f'the {look} {what} {beside} {WORDS[mark.kind][1]} number {number}'
    return Asked('relation', text, frozenset({thing.name, *closer}))


def side_of(start: Position, end: Position) -> str:
    """The quarter of the compass in which a place lies."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    if abs(dy) >= abs(dx):
        return 'north' if dy > 0 else 'south'
    return 'east' if dx > 0 else 'west'


def _absent(_thing: Thing, _things: Sequence[Thing], rng: random.Random) -> Asked:
    look = rng.choice(sorted(LOOKS))
    text = f'{rng.choice(OPENINGS)} a {LOOKS[look][1]} {rng.choice(ABSENT)}?'
    return Asked('absent', text, frozenset())


def _japanese(thing: Thing, things: Sequence[Thing], _rng: random.Random) -> Asked:
    return Asked('japanese', f'{WORDS[thing.kind][3]}はどこですか', _names(things, thing.kind))


def _negation(thing: Thing, things: Sequence[Thing], _rng: random.Random) -> Asked:
    text = f'a {WORDS[thing.kind][1]} that is not {LOOKS[thing.look][1]}'
    alike = _names(things, thing.kind) - _names(things, thing.kind, thing.look)
    return Asked('negation', text, alike)


def _before(thing: Thing, things: Sequence[Thing], _rng: random.Random) -> Asked:
    text = f'a {WORDS[thing.kind][1]} seen before sol {thing.sol + 1}'
    early = frozenset(each.name for each in things if each.sol <= thing.sol)
    return Asked('before', text, _names(things, thing.kind) & early)


def _moved(_thing: Thing, things: Sequence[Thing], rng: random.Random) -> Asked:
    """Where something is that was seen at another place before."""
    thing = rng.choice([each for each in things if each.was_at])
    return replace(_explicit(thing, things, rng), kind='moved')


def _stale(thing: Thing, things: Sequence[Thing], rng: random.Random) -> Asked:
    """What must not be answered: it was seen before the time in question."""
    asked = _explicit(thing, things, rng)
    age = (LAST_SOL - thing.sol) * SOL_S
    return replace(asked, kind='stale', right=frozenset(), max_age_s=age / 2.0)


def _counted(thing: Thing, things: Sequence[Thing], _rng: random.Random) -> Asked:
    """How many there are: of all that is found, how much is right."""
    text = f'how many {WORDS[thing.kind][1]}s are there?'
    right = _names(things, thing.kind)
    return Asked('counted', text, right, counts=True)
