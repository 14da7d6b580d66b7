"""Whether our own messages are installed as this program knows them.

Their package keeps its version between two releases. A field that is missing there would be left
out of what is sent, and found in the middle of a run where it is read.
"""

from __future__ import annotations

from collections.abc import Iterator
import hashlib
from importlib.util import find_spec
from pathlib import Path

from rover_common.errors import UsageError

PACKAGE = 'bt_executive_interfaces'
DIGEST = 'cbfa9f3686c66c4d'  # of the definitions in interfaces/
KINDS = ('action', 'msg', 'srv')


def check_definitions() -> None:
    """Refuse messages of another version of this program.

    Raises:
        UsageError: They are installed, and defined in another way.
    """
    if problem := other_definitions():
        raise UsageError(f'{problem}.')


def other_definitions() -> str:
    """Return which messages are defined in another way, and what to do; empty: none."""
    folder = share_folder()
    if folder is None or digest_of(folder) in ('', DIGEST):
        return ''
    return (
        f'The messages in {str(folder)!r} are those of another version of this program: run '
        '`make setup`, install the wheels of both again (pip: --force-reinstall), or build both '
        'with colcon and source install/setup.bash'
    )


def digest_of(folder: Path) -> str:
    """Return the digest of the definitions in a package, without comments; empty: it has none."""
    lines = [*_definitions(folder)]
    return hashlib.sha256('\n'.join(lines).encode()).hexdigest()[:16] if lines else ''


def _definitions(folder: Path) -> Iterator[str]:
    for kind in KINDS:
        for file in sorted(folder.glob(f'{kind}/*.{kind}')):
            yield file.name
            for line in file.read_text(encoding='utf-8').splitlines():
                if words := line.split('#')[0].split():
                    yield ' '.join(words)


def share_folder() -> Path | None:
    """Return the folder with the definitions of the package that is imported here."""
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        return None
    folders = (parent / 'share' / PACKAGE for parent in Path(found.origin).parents)
    return next((each for each in folders if each.is_dir()), None)
