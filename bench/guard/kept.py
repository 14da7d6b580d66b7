"""Keeps results on disk as they come, so that a run that was ended goes on where it was.

A result counts only for the very item and the very sources with which it was made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
import hashlib
import json
from pathlib import Path
from typing import Any, Generic, TypeVar

from rover_common.process.parallel_work import parallel_imap

ROOT = Path(__file__).parents[2]
SOURCES = ('bt_executive', 'adapter', 'common', 'sim', 'config', 'bench/guard')
T = TypeVar('T')
R = TypeVar('R')


class Kept(Generic[T, R]):
    """The results of one kind of work, one line of JSON each.

    Args:
        file: Where they are; None: nowhere.
        make: Makes a result of its fields, which are strings, numbers, booleans and sequences.
        key: Says all of an item that its result depends on, besides the sources.
    """

    def __init__(self, file: Path | None, make: Callable[..., R], key: Callable[[T], str]) -> None:
        self._file, self._make, self._key = file, make, key

    def spread(
        self, do: Callable[[T], R], items: Sequence[T], workers: int = 1, ray: str | None = None
    ) -> list[R]:
        """Do something with each item of which there is no result yet. See `process.spread`."""
        if self._file is None:
            return list(parallel_imap(do, items, workers, ray))
        version = digest_of_sources()
        keys = [_digest(version, self._key(each)) for each in items]
        found = self._read()
        missing = [at for at, key in enumerate(keys) if key not in found]
        results = parallel_imap(do, [items[at] for at in missing], workers, ray)
        with self._file.open('a', encoding='utf-8') as file:
            for at, result in zip(missing, results, strict=True):
                line = json.dumps({'key': keys[at], **vars(result)}, ensure_ascii=False)
                print(line, file=file, flush=True)
                found[keys[at]] = result
        return [found[key] for key in keys]

    def _read(self) -> dict[str, R]:
        assert self._file is not None
        if not self._file.exists():
            return {}
        whole, _, half = self._file.read_text('utf-8').rpartition('\n')
        if half:  # the run was ended while it wrote
            self._file.write_text(f'{whole}\n' if whole else '', 'utf-8')
        found = {}
        for line in whole.splitlines():
            raw = json.loads(line)
            key = raw.pop('key')
            found[key] = self._make(**{name: _frozen(each) for name, each in raw.items()})
        return found


def digest_of_sources(root: Path = ROOT) -> str:
    """Return a digest of everything on which the result of a case depends."""
    made = hashlib.sha256()
    for folder in SOURCES:
        for path in sorted(_sources_in(root / folder)):
            made.update(str(path.relative_to(root)).encode())
            made.update(path.read_bytes())
    return made.hexdigest()


def _sources_in(folder: Path) -> Iterable[Path]:
    return (each for each in folder.rglob('*') if each.suffix in ('.py', '.yaml'))


def _digest(*parts: str) -> str:
    return hashlib.sha256('\0'.join(parts).encode()).hexdigest()[:24]


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
