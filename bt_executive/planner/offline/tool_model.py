"""How likely each of a robot's tools is asked for by a text: a linear model, fitted beforehand.

It sees the encoder's vector of a text and the text's own letters, which know left from right and
up from down where the encoder hardly does. `python -m bench.models.fit` makes it of the tools'
examples and of wordings by many authors; the file stands beside the examples. A tool that is not
in it is known by its examples alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache
import json
import math
from pathlib import Path
import re
from typing import Any, TypeAlias
import zipfile
import zlib

import numpy as np
from numpy.typing import NDArray

from rover_common.llm.model_errors import ModelError
from rover_common.llm.sentence_encoder import sentence_encoder

NO_TOOL, ASIDE = '', ' '  # classes: what no tool does, and what is only said around a wish
BUCKETS = 1 << 14  # of pieces of texts
_UNSPACED = '\u3040-\u30ff\u4e00-\u9fff\u0e00-\u0e7f'
_RUN = re.compile(rf"[{_UNSPACED}]+|[^\W\d_{_UNSPACED}]+(?:['’][^\W\d_]+)?|\d+|\?")
_SYLLABLES = re.compile(rf'[{_UNSPACED}]')
_HANGUL = re.compile('[가-힣]')
Row: TypeAlias = NDArray[np.float32]
Rows: TypeAlias = NDArray[np.float32]


class ToolModel:
    """How likely a text asks for each class: it may ask for several tools.

    A class is a tool's name, perhaps with arguments that some of its examples have (`class_of`);
    the last two classes are `NO_TOOL` and `ASIDE`.

    Args:
        classes: Their names.
        of_vectors: Weights of the encoder's dimensions, a column for each class.
        of_pieces: Weights of the pieces of a text, a column for each class.
        biases: Of each class.
    """

    def __init__(
        self,
        classes: Sequence[str],
        of_vectors: Rows,
        of_pieces: NDArray[np.float16],
        biases: Row,
    ) -> None:
        self.classes, self.tool_classes = tuple(classes), tuple(classes[:-2])
        self.tools = frozenset(tool_of(each) for each in self.tool_classes)
        self._of_vectors, self._of_pieces, self._biases = of_vectors, of_pieces, biases

    def only(self, tools: Set[str]) -> ToolModel:
        """Return the model of some of its tools."""
        kept = [
            at
            for at, each in enumerate(self.classes)
            if tool_of(each) in tools or each in (NO_TOOL, ASIDE)
        ]
        return ToolModel(
            [self.classes[at] for at in kept],
            self._of_vectors[:, kept],
            self._of_pieces[:, kept],
            self._biases[kept],
        )

    def write(self, path: Path, made_of: str) -> None:
        """Write it to a file; `made_of`: a sum of what it was fitted to."""
        np.savez_compressed(
            path,
            classes=np.array(self.classes),
            of_vectors=self._of_vectors.astype(np.float16),
            of_pieces=self._of_pieces,
            biases=self._biases,
            made_of=np.array(made_of),
        )

    def likely(self, texts: Sequence[str]) -> Rows:
        """Return for each plain text how likely it asks for each class.

        Raises:
            ModelError: The sentence encoder is not there.
        """
        score = sentence_encoder().embed(texts) @ self._of_vectors + self.by_letters(texts)
        return np.asarray(1.0 / (1.0 + np.exp(-score)), np.float32)

    def by_letters(self, texts: Sequence[str]) -> Rows:
        """Return for each plain text what its pieces alone say of each class, without a scale."""
        found = np.tile(self._biases, (len(texts), 1))
        for row, text in zip(found, texts, strict=True):
            pieces = list(pieces_of(text))
            weights = self._of_pieces[pieces].astype(np.float32)
            row += weights.sum(axis=0) * weight_of(len(pieces))
        return found


@lru_cache(4)
def load_model(path: str) -> ToolModel:
    """Read a model.

    Raises:
        ModelError: The file cannot be read, or is none.
    """
    try:
        with np.load(path) as file:
            return ToolModel(
                [str(each) for each in file['classes']],
                file['of_vectors'].astype(np.float32),
                file['of_pieces'],
                file['biases'],
            )
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise ModelError(f'{path} cannot be read ({error}).', again=False) from error


def class_of(tool: str, arguments: Mapping[str, Any]) -> str:
    """Return the name of the class of a tool with these arguments."""
    return f'{tool} {json.dumps(arguments, sort_keys=True)}' if arguments else tool


def tool_of(name: str) -> str:
    """Return the tool of a class."""
    return name.partition(' ')[0]


def arguments_of(name: str) -> dict[str, Any]:
    """Return the arguments of a class."""
    text = name.partition(' ')[2]
    arguments: dict[str, Any] = json.loads(text) if text else {}
    return arguments


def weight_of(pieces: int) -> float:
    """Return the weight of each of so many pieces of a text."""
    return 1.0 / math.sqrt(max(pieces, 1))


@lru_cache(2048)
def pieces_of(text: str) -> frozenset[int]:
    """Return the buckets of the pieces of a plain text: its words, pairs of them, and letters."""
    return frozenset(zlib.crc32(each.encode()) % BUCKETS for each in _pieces(text))


def _pieces(text: str) -> Iterator[str]:
    before = '^'
    for found in _RUN.finditer(text):
        word = found[0]
        if _SYLLABLES.match(word):
            yield from ('c' + each for each in _grams(word, 1, 3))
            yield f'c^{word[:2]}'
            yield f'c{word[-2:]}$'
        else:
            yield f'w{word}'
            yield f'b{before} {word}'
            yield from ('g' + each for each in _grams(f'<{word}>', 3, 4))
            if _HANGUL.search(word):
                yield from ('g' + each for each in _grams(word, 1, 2))
        before = word
    yield f'b{before} $'


def _grams(word: str, shortest: int, longest: int) -> Iterator[str]:
    for length in range(shortest, longest + 1):
        for begin in range(len(word) - length + 1):
            yield word[begin : begin + length]
