"""The head of a GGUF file: what it tells of a model before it is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
import math
from pathlib import Path
import struct
from typing import Any, BinaryIO

from rover_common.errors import ConfigError

MAGIC = b'GGUF'
VERSIONS = (2, 3)
# Value types of the format: scalars by their struct format, then text and lists.
_SCALARS = dict(enumerate('BbHhIif?')) | {10: 'Q', 11: 'q', 12: 'd'}
_TEXT, _LIST = 8, 9
MOST_ENTRIES = 10_000  # of the head; a file has a few dozen
LONGEST_TEXT = 10_000_000  # bytes
MOST_VALUES = 10_000_000  # of a list; the longest one is the vocabulary
MOST_DIMENSIONS = 8  # of a tensor; llama.cpp has four
NEXT = 'copy it again, or name another file'
BATCH = 512  # tokens that llama.cpp computes at a time
F16, F32 = 2, 4  # bytes
MB = 1_000_000


@dataclass(frozen=True)
class Gguf:
    """The metadata of a file.

    Attributes:
        size: Bytes of the file.
        name: Of the model.
        trained: Tokens of the context that it was trained with.
        token_bytes: Memory for each token of context.
        vocabulary: Number of its tokens.
        template: Its chat template; empty: the file has none.
    """

    size: int
    name: str
    trained: int
    token_bytes: int
    vocabulary: int
    template: str

    @property
    def calls_tools(self) -> bool:
        """Whether its template has a place for tools."""
        return 'tools' in self.template

    def memory(self, context: int) -> int:
        """Return about how many bytes it takes, loaded with so many tokens of context."""
        return self.size + context * self.token_bytes + F32 * BATCH * self.vocabulary


def read_gguf(path: Path) -> Gguf:
    """Read the head.

    Raises:
        ConfigError: It is no such file; the text has the reason.
    """
    try:
        with path.open('rb') as file:
            found, least = _entries(file)
        size = path.stat().st_size
        if size < least:
            raise ValueError(
                f'it is cut off: it has {size / MB:.0f} MB of at least {least / MB:.0f} MB'
            )
        return _gguf_of(found, size)
    except OSError as error:
        what = f'cannot be read ({error.strerror}): let this user read it, or name another'
        raise _fault(path, what) from None
    except (struct.error, EOFError, LookupError, TypeError, ValueError, ArithmeticError) as error:
        is_short = isinstance(error, (struct.error, EOFError))
        why = 'it ends in the middle of its head' if is_short else str(error)
        if isinstance(error, KeyError):
            why = f'its head does not say {error}'
        raise _fault(path, f'is no model of llama.cpp (GGUF): {why}; {NEXT}') from None


def _fault(path: Path, what: str) -> ConfigError:
    return ConfigError(f'executive.yaml: planner.model is {str(path)!r}, which {what}.')


def _gguf_of(found: Mapping[str, Any], size: int) -> Gguf:
    kind = found['general.architecture']
    heads, width = found[f'{kind}.attention.head_count'], found[f'{kind}.embedding_length']
    heads = max(heads) if isinstance(heads, list) else heads
    shared = found.get(f'{kind}.attention.head_count_kv', heads)
    shared = max(shared) if isinstance(shared, list) else shared
    length = width // heads
    keys = found.get(f'{kind}.attention.key_length', length)
    values = found.get(f'{kind}.attention.value_length', length)
    return Gguf(
        size=size,
        name=str(found.get('general.name', '')),
        trained=int(found[f'{kind}.context_length']),
        token_bytes=F16 * found[f'{kind}.block_count'] * shared * (keys + values),
        vocabulary=int(found.get('tokenizer.ggml.tokens', 0)),
        template=str(found.get('tokenizer.chat_template', '')),
    )


def _entries(file: BinaryIO) -> tuple[dict[str, Any], int]:
    """The entries of the head, and how many bytes the whole file has at least."""
    begin = file.read(len(MAGIC))
    if begin != MAGIC:
        raise ValueError('it does not begin with GGUF' if begin else 'it is empty')
    version, tensors, count = _read(file, 'IQQ')
    if version not in VERSIONS:
        raise ValueError(f'its version is {version}, not one of {VERSIONS}')
    if max(count, tensors) > MOST_ENTRIES:
        raise ValueError(f'its head has {count} entries and {tensors} tensors')
    found: dict[str, Any] = {}
    for _ in range(count):
        key = _text(file)
        found[key] = _value(file, *_read(file, 'I'))
    ends = [_least_end(file) for _ in range(tensors)]
    return found, file.tell() + max(ends, default=0)


def _least_end(file: BinaryIO) -> int:
    """Where a tensor ends in the data at least: no format has less than a bit for a weight."""
    _text(file)
    (dimensions,) = _read(file, 'I')
    if dimensions > MOST_DIMENSIONS:
        raise ValueError(f'a tensor in it has {dimensions} dimensions')
    weights = math.prod(_read(file, f'{dimensions}Q'))
    _kind, offset = _read(file, 'IQ')
    return int(offset + weights // 8)


def _value(file: BinaryIO, kind: int) -> Any:
    """A value; of a list of texts only their number."""
    if kind == _TEXT:
        return _text(file)
    if kind != _LIST:
        return _read(file, _SCALARS[kind])[0]
    inner, count = _read(file, 'IQ')
    if count > MOST_VALUES:
        raise ValueError(f'a list in it has {count} values')
    if inner != _TEXT:
        return list(_read(file, f'{count}{_SCALARS[inner]}'))
    for _ in range(count):
        _text(file)
    return count


def _text(file: BinaryIO) -> str:
    (length,) = _read(file, 'Q')
    if length > LONGEST_TEXT:
        raise ValueError(f'a text in it has {length} bytes')
    data = file.read(length)
    if len(data) < length:
        raise EOFError
    return data.decode(errors='replace')


def _read(file: BinaryIO, form: str) -> tuple[Any, ...]:
    data = file.read(struct.calcsize(f'<{form}'))
    return struct.unpack(f'<{form}', data)
