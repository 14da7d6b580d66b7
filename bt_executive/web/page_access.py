"""Access rules for viewing and acting, independent of a server. Pure.

The link of a page contains a token, which becomes a cookie that scripts cannot read. A browser
also sends that cookie for pages of other origins, so Host (against DNS rebinding), Origin and a
second token that only our own page has (CSRF) are checked, too. The server listens on loopback
only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
import hashlib
import hmac
import secrets

LOOPBACK = ('127.0.0.1', 'localhost', '[::1]')
TOKEN_BYTES = 24
CSRF_HEADER = 'x-csrf-token'


def new_token() -> str:
    """Return a random token."""
    return secrets.token_urlsafe(TOKEN_BYTES)


@dataclass(frozen=True)
class Access:
    """The rules of one server.

    `token`: of the link. `port`: that the server listens on. `read_only`: whether pages may not
    act.
    """

    token: str
    port: int
    read_only: bool = False

    @property
    def cookie(self) -> str:
        """Name of the cookie; includes the port, because cookies are shared between ports."""
        return f'bt_executive_{self.port}'

    @property
    def csrf(self) -> str:
        """The CSRF token, which only our own page has."""
        return hmac.new(self.token.encode(), b'csrf', hashlib.sha256).hexdigest()

    @property
    def hosts(self) -> tuple[str, ...]:
        """Valid Host headers."""
        return tuple(f'{name}:{self.port}' for name in LOOPBACK)

    @property
    def origins(self) -> tuple[str, ...]:
        """Valid Origin headers."""
        return tuple(f'http://{host}' for host in self.hosts)

    def is_token(self, text: str) -> bool:
        """Compare a text with the token in constant time."""
        return _same(text, self.token)

    def deny_view(self, headers: Mapping[str, str], cookie: str) -> str:
        """Return why a request may not view anything; empty if it may."""
        if headers.get('host', '') not in self.hosts:
            return f'This server answers as {self.hosts[0]} only.'
        if not self.is_token(cookie):
            return 'Open the link that the terminal shows: it holds the token.'
        return ''

    def deny_connection(self, headers: Mapping[str, str], cookie: str) -> str:
        """Return why a page may not open the feed; empty if it may."""
        if headers.get('origin', '') not in self.origins:
            return 'Only the page of this server may ask.'
        return self.deny_view(headers, cookie)

    def deny_action(self, headers: Mapping[str, str], cookie: str) -> str:
        """Return why a request may not change anything; empty if it may."""
        reason = self.deny_connection(headers, cookie)
        if reason:
            return reason
        if not _same(headers.get(CSRF_HEADER, ''), self.csrf):
            return 'The page is of another server: load it again.'
        return 'This page is read only.' if self.read_only else ''

    def deny_stop(self, headers: Mapping[str, str], secret: str, stop_server_port: int) -> str:
        """Return why a request to the stop server may not stop; empty if it may."""
        if headers.get('host', '') not in [f'{name}:{stop_server_port}' for name in LOOPBACK]:
            return 'This is not its name.'
        if headers.get('origin', '') not in self.origins:
            return 'Only the page of this server may ask.'
        if not _same(secret, self.csrf):
            return 'The page is of another server: load it again.'
        return 'This page is read only.' if self.read_only else ''


def _same(left: str, right: str) -> bool:
    return hmac.compare_digest(left.encode('utf-8', 'replace'), right.encode())


def security_headers(port: int, stop_server_port: int) -> dict[str, str]:
    """Return the headers of every answer: only our own scripts and styles, and no framing."""
    names = LOOPBACK[:2]  # policies have no syntax for IPv6 addresses
    stop_origins = ' '.join(f'http://{name}:{stop_server_port}' for name in names)
    sockets = ' '.join(f'ws://{name}:{port}' for name in names)
    return {
        'content-security-policy': (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
            "font-src 'self'; "
            f"connect-src 'self' {sockets} {stop_origins}; base-uri 'none'; form-action 'none'; "
            "frame-ancestors 'none'"
        ),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
        'cache-control': 'no-store',
    }
