"""What was said of a thing supports a word, in whatever words; nothing else does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from remembered_worlds import WORLDS, asked, led_to, memory_of

from embodied_nav.embedding.term_vectors import TermVectors
from embodied_nav.query_and_recall_types import RecallOutcome
from embodied_nav.retrieval.candidate_ranking import OFFERED
from embodied_nav.retrieval.parsed_query import MAX_ABLATED, parse_query
from embodied_nav.retrieval.term_support import gains_of, supports_of
from embodied_nav.retrieval.text_of_thing import document_of
from embodied_nav.spatial_memory import SpatialMemory
from rover_common.llm.sentence_encoder import sentence_encoder


def is_matched(text: str, term: str, caption: str) -> bool:
    query, document, encoder = parse_query(text), document_of(caption), sentence_encoder()
    term_vectors = TermVectors(encoder)
    terms = (*query.units, *query.ablations, *document.comparable_terms)
    term_vectors.learn(term_vectors.missing(terms))
    gains = gains_of(query, encoder.embed([caption]), term_vectors)
    assert gains is not None
    (support,) = supports_of(query, [document], term_vectors)
    matches = gains.matches([[value for _, value in support.terms]])
    return bool(matches[0][support.texts.index(term)])


@pytest.mark.parametrize(
    ('text', 'term', 'caption'),
    [
        ('装土豆的拖车', '装土豆', 'trailer, a flat trailer loaded with sacks of potatoes'),
        ('挖出来的土堆', '挖出来', 'spoil heap, a hill of earth that was dug out'),
    ],
)
def test_the_whole_text_matches_it_in_other_words(text: str, term: str, caption: str) -> None:
    assert is_matched(text, term, caption)


@pytest.mark.parametrize(
    ('text', 'term'),
    [
        ('the robot trolley', 'robot'),
        ('the musical trolley', 'musical'),
        ('恐竜のトロリー', '恐竜'),
        ('恐龙的手推车', '恐龙'),
    ],
)
def test_what_is_not_in_the_caption_is_not_matched(text: str, term: str) -> None:
    assert not is_matched(text, term, 'trolley, a row of luggage trolleys pushed together')


def test_a_single_term_and_a_long_query_have_no_gains() -> None:
    no_vectors = TermVectors(None)
    for text in ('rock', ' '.join(f'thing{at}' for at in range(MAX_ABLATED + 1))):
        assert parse_query(text).ablations == ()
        assert gains_of(parse_query(text), sentence_encoder().embed(['rock']), no_vectors) is None


def test_without_vectors_there_are_no_gains() -> None:
    rows = sentence_encoder().embed(['rock, a red rock'])
    assert gains_of(parse_query('the striped rock'), rows, TermVectors(None)) is None


# world: questions of which one word, at least, is said of nothing there
ABSENT = {
    'plain': (
        *('the green rock', 'where did you see the blue rock?', 'dinosaur rock', 'gold rock'),
        *('the hollow rock', 'a wooden rock', 'the biggest rock', 'the second rock'),
        *('rock number 4', 'three white rocks', 'the marble block', 'the purple layered rock'),
        *('Grey Anvil', 'base camp 2', 'the rock in the tunnel', 'the red rock with moss'),
        *('the red rock near the antenna', 'the layered rock without bands'),
        *('the unlayered rock', 'the rock with a flat bottom', 'a rock bigger than Bishop'),
        *('an igneous rock', 'Bishop II', 'Bishop Junior', 'the other Bishop'),
        *('the lichen rock', 'the invisible rock', 'another rock', 'the first rock'),
        *('la roca verde', 'le rocher vert', 'der grüne Stein', 'зелёный камень'),
        *('ein hölzerner Stein', 'un rocher creux', 'the woolen rock', 'the zigzag rock'),
        *('the spotted rock', 'the turquoise rock', 'the triangular rock'),
        *('the inflatable block', 'a rock that glows', 'the rock which is radioactive'),
        *('the rock that we painted', 'the layered rock that can sing', 'a rock humming'),
        *('燃えた岩', '恐竜の岩', '婚礼的石头'),
    ),
    'harbour': (
        *('crate 8', 'the eleventh crate', '見えない木箱', '看不见的箱子'),
        *('the plastic crate', 'the green boat', 'the yellow crane', 'the short crane'),
        *('the south pier', 'a wooden boat', 'the crate with the copper hinges'),
        *('the tin crate', 'the burnt rope', 'the crate behind the church', 'Young Tom'),
        *('crate VII', 'crate 7b', 'the repaired crane', 'the tame crane'),
        *('the sideways boat', 'the spotted rope', 'the crane that whistles'),
        'the boat which is sinking',
    ),
    'orchard': (
        *('the cherry tree', 'a young tree', 'the square well', 'the frozen pond'),
        *('the cart with four wheels', 'the iron well', 'the tallest tree', 'a pine tree'),
        *('the plum tree', 'the uncovered well', 'the ripe tree'),
    ),
    'mesa': (
        *('the green sand', 'a glass slab', 'the melted slab', 'the deep crater'),
        *('black pebbles', 'the crater beside the river', 'the slab that is not a slab'),
    ),
    'store': (
        *('shelf C', 'shelf D', 'shelf AB', 'the right shelf', 'the other shelf'),
        *('the back door', 'the windowless door', 'la puerta roja'),
    ),
    'japanese': (
        *('緑の岩', '青い岩はどこ', '大きなクレーター', '金の岩', 'みどりの岩', '赤くない岩'),
        *('見えない岩', 'the lichen rock'),
    ),
    'chinese': ('绿色的岩石', '蓝色岩石在哪里', '黄金岩石', '很大的陨石坑', '不是红色的岩石'),
}
# world: question, what it means; the words need not be those of the caption
PRESENT = {
    'plain': (
        ('the layered rock', 'Bishop'),
        ('where did you see the layered rocks?', 'Bishop'),
        ('rock with layers', 'Bishop'),
        ('Where is Bishop?', 'Bishop'),
        ('the rock with a flat top', 'Bishop'),
        ('the red rock', 'Red Anvil'),
        ('the red stone', 'Red Anvil'),
        ('the red boulder', 'Red Anvil'),
        ('a block that was split by frost', 'Red Anvil'),
        ('the anvil', 'Red Anvil'),
        ('a rock split in the middle', 'Red Anvil'),
        ('the block, reddish', 'Red Anvil'),
        ('please show me the white vein', 'Ivory'),
        ('vein of white gypsum', 'Ivory'),
        ('the gypsum vein in the gray bedrock', 'Ivory'),
        ('the white rock', 'Ivory'),
        ('a banded rock', 'Bishop'),
        ('the cracked red rock', 'Red Anvil'),
        ('the rock that frost has split', 'Red Anvil'),
        ('base camp', 'base camp'),
        ('the camp', 'base camp'),
        ('the rock that is not layered and red', 'Red Anvil'),
    ),
    'harbour': (
        ('crate 7', 'crate 7'),
        ('the wooden crates', 'crate 7'),
        ('crate number 12', 'crate 12'),
        ('the crate of wood', 'crate 7'),
        ('a yellow crate', 'crate 12'),
        ('the crate with rusted hinges', 'crate 7'),
        ('Old Tom', 'Old Tom'),
        ('the crane whose hook is broken', 'Old Tom'),
        ('the high crane', 'Old Tom'),
        ('the little boat', 'Gull'),
        ('a blue boat', 'Gull'),
        ('thick ropes', 'rope'),
        ('the pier in the north', 'north pier'),
        ('the rope north of crate 12', 'rope'),
    ),
    'orchard': (
        ('the hollow tree', 'tree_a'),
        ('the apple tree', 'tree_a'),
        ('apple trees', 'tree_a'),
        ('the pear tree', 'tree_b'),
        ('the old tree', 'tree_b'),
        ('the tree that has no leaves', 'tree_b'),
        ('the leafless tree', 'tree_b'),
        ('the stone well', 'Well'),
        ('a rounded well', 'Well'),
        ('the cart with the baskets', 'cart'),
        ('the cart with two wheels', 'cart'),
        ('a muddy pond', 'pond'),
    ),
    'mesa': (
        ('the rippled sand', 'dune'),
        ('sand ripples', 'dune'),
        ('the sandy dune', 'dune'),
        ('the flat slab', 'slab_1'),
        ('the cracked slab', 'slab_1'),
        ('the slab with the cracks', 'slab_1'),
        ('a large slab', 'slab_2'),
        ('the big slab', 'slab_2'),
        ('round pebbles', 'pebbles'),
        ('a pile of small pebbles', 'pebbles'),
        ('the crater with dust', 'bowl'),
        ('the craters', 'bowl'),
    ),
    'store': (
        ('shelf A', 'shelf A'),
        ('go to shelf B, please', 'shelf B'),
        ('la puerta verde', 'Gate'),
        ('where’s the wooden shelf', 'shelf B'),
    ),
    'japanese': (
        ('赤い岩', '岩一'),
        ('赤い岩はどこで見ましたか', '岩一'),
        ('平らな岩', '岩一'),
        ('柔らかい砂', '砂丘'),
        ('小さなクレーター', '穴'),
        ('クレーターはどこ', '穴'),
    ),
    'chinese': (
        ('红色的岩石', '石一'),
        ('红色岩石在哪里', '石一'),
        ('红岩石', '石一'),
        ('柔软的沙丘', '沙一'),
        ('你在哪里看到了陨石坑', '坑一'),
        ('很小的陨石坑', '坑一'),
    ),
}


@pytest.fixture(scope='module')
def worlds() -> Iterator[dict[str, SpatialMemory]]:
    made = {name: memory_of(things) for name, things in WORLDS.items()}
    yield made
    for each in made.values():
        each.close()


@pytest.mark.parametrize(
    ('world', 'text'), [(world, text) for world, texts in ABSENT.items() for text in texts]
)
def test_what_nobody_spoke_of_is_not_found(
    worlds: dict[str, SpatialMemory], world: str, text: str
) -> None:
    found = asked(worlds[world], text)
    assert found.outcome in (RecallOutcome.AMBIGUOUS, RecallOutcome.ABSENT), found.reason
    assert found.target is None
    assert all(hit.probability <= OFFERED for hit in found.hits)


@pytest.mark.parametrize(
    ('world', 'text', 'name'),
    [(world, *pair) for world, pairs in PRESENT.items() for pair in pairs],
)
def test_what_was_spoken_of_is_found(
    worlds: dict[str, SpatialMemory], world: str, text: str, name: str
) -> None:
    assert led_to(asked(worlds[world], text)) == name


@pytest.mark.parametrize(
    ('text', 'said'),
    [
        ('the green rock', 'Nothing green; the nearest to it: '),
        ('the green hollow rock', 'Nothing green or hollow; the nearest to it: '),
    ],
)
def test_the_nearest_is_named_and_asked_for(
    worlds: dict[str, SpatialMemory], text: str, said: str
) -> None:
    found = asked(worlds['plain'], text)
    assert found.outcome is RecallOutcome.AMBIGUOUS
    assert found.reason.startswith(said)
    assert found.hits[0].caption in found.reason
    assert found.reason.endswith('Go there?')


@pytest.mark.parametrize(
    ('text', 'is_found'),
    [
        ('the red rock seen a minute ago', True),
        ('the red rock seen two hours ago', False),
        ('the red rock seen in the last 5 minutes', True),
        ('the red rock seen within the last 10 seconds', False),
        ('the red rock from today', True),
        ('the red rock from yesterday', False),
        ('the red rock before sol 12', False),
    ],
)
def test_when_it_was_seen_is_a_word_of_the_question_too(
    worlds: dict[str, SpatialMemory], text: str, is_found: bool
) -> None:
    assert (asked(worlds['plain'], text).target is not None) is is_found


# --- other words, other languages ----------------------------------------------------------------


@pytest.mark.parametrize(
    ('world', 'text', 'name'),
    [
        ('plain', 'ベージュではなく赤い岩', 'Red Anvil'),
        ('plain', '白い鉱脈はどこ', 'Ivory'),
        ('plain', '白色的岩脉在哪里', 'Ivory'),
        ('harbour', '木箱', 'crate 7'),
        ('harbour', '坏了的起重机', 'Old Tom'),
        ('harbour', 'the crate that is not yellow', 'crate 7'),
        ('harbour', '小さな青い船', 'Gull'),
        ('orchard', '没有叶子的树', 'tree_b'),
        ('japanese', 'the red flat rock', '岩一'),
        ('japanese', '红色的石头', '岩一'),
        ('chinese', 'the soft dune', '沙一'),
        ('chinese', '小さなクレーター', '坑一'),
    ],
)
def test_captions_are_found_in_another_language(
    worlds: dict[str, SpatialMemory], world: str, text: str, name: str
) -> None:
    found = asked(worlds[world], text)
    assert found.hits, found.reason
    assert found.hits[0].name == name


def test_an_offer_says_what_speaks_for_and_against_it(worlds: dict[str, SpatialMemory]) -> None:
    best = asked(worlds['plain'], 'the green layered rock').hits[0]
    assert (best.name, best.unsupported) == ('Bishop', ('green',))
    assert best.supported == ('layered', 'rock')
