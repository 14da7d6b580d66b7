"""Access to the gateway: by token, and not from web pages of another origin.

The token is that of the environment, or one that was made for this user and kept in a file that
nobody else can read; there is no gateway without one.
"""

from __future__ import annotations

from collections.abc import Mapping
import ipaddress
import os
from pathlib import Path
import secrets
from urllib.parse import urlsplit

from rover_common.errors import UsageError

TOKEN_VARIABLE = 'BT_EXECUTIVE_VISION_TOKEN'
TOKEN_FILE = 'token'
SHORTEST_TOKEN = 8
_LOCAL_NAMES = {'localhost', 'localhost.'}


def token_of(environment: Mapping[str, str], folder: Path, host: str) -> str:
    """Return the token for clients; created and stored in `folder` if the environment has none.

    Raises:
        UsageError: The environment's is too short, or absent where others than this machine's
            users can connect; or the file cannot be used.
    """
    given = environment.get(TOKEN_VARIABLE, '').strip()
    if given:
        if len(given) < SHORTEST_TOKEN:
            raise UsageError(
                f'{TOKEN_VARIABLE} has {len(given)} characters: use {SHORTEST_TOKEN} or more.'
            )
        return given
    if not is_local(host):
        raise UsageError(
            f'vision.host is {host!r}, where others can connect: set {TOKEN_VARIABLE}, or leave '
            'it at 127.0.0.1.'
        )
    return _kept_token(folder / TOKEN_FILE)


def is_local(host: str) -> bool:
    """Return whether a host name or address is reachable from this machine only."""
    if host.lower() in _LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(host.strip('[]')).is_loopback
    except ValueError:
        return False


def shows_token(headers: Mapping[str, str], token: str) -> bool:
    """Return whether a request has the token, as `Authorization: Bearer TOKEN`."""
    scheme, _, shown = headers.get('authorization', '').partition(' ')
    return scheme.lower() == 'bearer' and secrets.compare_digest(
        shown.strip().encode(), token.encode()
    )


def is_foreign(headers: Mapping[str, str], bound_to: str) -> bool:
    """Return whether a request is from a page of another origin, or for a foreign host name.

    Programs send no Origin; browsers always do.
    """
    host = headers.get('host', '')
    if is_local(bound_to) and not is_local(_name_in(host)):
        return True
    origin = headers.get('origin')
    return origin is not None and origin not in (f'http://{host}', f'https://{host}')


def _name_in(host: str) -> str:
    """Return the name in a Host header; empty if it is none."""
    try:
        return urlsplit(f'//{host}').hostname or ''
    except ValueError:
        return ''


def _kept_token(path: Path) -> str:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return _read_token(path)
        with os.fdopen(descriptor, 'w', encoding='ascii') as file:
            token = secrets.token_urlsafe(24)
            file.write(token)
        return token
    except OSError as error:
        raise UsageError(
            f'The token of the vision gateway cannot be kept in {str(path)!r} '
            f'({error.strerror}): set {TOKEN_VARIABLE}, or vision.folder.'
        ) from None


def _read_token(path: Path) -> str:
    token = path.read_text(encoding='ascii', errors='replace').strip()
    if len(token) < SHORTEST_TOKEN:
        raise UsageError(f'{str(path)!r} holds no token: remove it, and a new one is made.')
    return token
