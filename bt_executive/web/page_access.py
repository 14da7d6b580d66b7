"""Who may look and who may act: the rules, without a server. Pure.

A page is open to whoever has its link: the token in it becomes a cookie that scripts cannot read.
A browser also sends that cookie for pages of strangers, so the address that is asked (Host: names
that are rebound to this machine), the page that asks (Origin) and a second token that only our own
page knows (CSRF) are checked, too. The server listens on loopback alone.
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
    """A token that nobody guesses."""
    return secrets.token_urlsafe(TOKEN_BYTES)


@dataclass(frozen=True)
class Access:
    """One server's rules.

    `token`: in the link. `port`: that it listens on. `read_only`: whether nobody may act.
    """

    token: str
    port: int
    read_only: bool = False

    @property
    def cookie(self) -> str:
        """The cookie's name; with the port in it, for cookies know no ports."""
        return f'bt_executive_{self.port}'

    @property
    def csrf(self) -> str:
        """What only our own page knows, besides the browser that has the cookie."""
        return hmac.new(self.token.encode(), b'csrf', hashlib.sha256).hexdigest()

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names under which the server is asked."""
        return tuple(f'{name}:{self.port}' for name in LOOPBACK)

    @property
    def origins(self) -> tuple[str, ...]:
        """The pages that may ask."""
        return tuple(f'http://{host}' for host in self.hosts)

    def is_token(self, text: str) -> bool:
        """Whether a text is the token, told in the same time whatever it is."""
        return _same(text, self.token)

    def deny_view(self, headers: Mapping[str, str], cookie: str) -> str:
        """Why a request may not see anything; empty if it may."""
        if headers.get('host', '') not in self.hosts:
            return f'This server answers as {self.hosts[0]} only.'
        if not self.is_token(cookie):
            return 'Open the link that the terminal shows: it holds the token.'
        return ''

    def deny_connection(self, headers: Mapping[str, str], cookie: str) -> str:
        """Why a page may not be told what happens; empty if it may."""
        if headers.get('origin', '') not in self.origins:
            return 'Only the page of this server may ask.'
        return self.deny_view(headers, cookie)

    def deny_action(self, headers: Mapping[str, str], cookie: str) -> str:
        """Why a request may not change anything; empty if it may."""
        reason = self.deny_connection(headers, cookie)
        if reason:
            return reason
        if not _same(headers.get(CSRF_HEADER, ''), self.csrf):
            return 'The page is of another server: load it again.'
        return 'This page is read only.' if self.read_only else ''

    def deny_stop(self, headers: Mapping[str, str], secret: str, door: int) -> str:
        """Why the stop's own way is closed to a request; empty if it is open. `door`: its port."""
        if headers.get('host', '') not in [f'{name}:{door}' for name in LOOPBACK]:
            return 'This is not its name.'
        if headers.get('origin', '') not in self.origins:
            return 'Only the page of this server may ask.'
        if not _same(secret, self.csrf):
            return 'The page is of another server: load it again.'
        return 'This page is read only.' if self.read_only else ''


def _same(left: str, right: str) -> bool:
    return hmac.compare_digest(left.encode('utf-8', 'replace'), right.encode())


def security_headers(port: int, door: int) -> dict[str, str]:
    """What every answer carries: our own scripts and styles alone, in nobody's frame."""
    names = LOOPBACK[:2]  # policies know no addresses of IPv6
    doors = ' '.join(f'http://{name}:{door}' for name in names)
    sockets = ' '.join(f'ws://{name}:{port}' for name in names)
    return {
        'content-security-policy': (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
            "font-src 'self'; "
            f"connect-src 'self' {sockets} {doors}; base-uri 'none'; form-action 'none'; "
            "frame-ancestors 'none'"
        ),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
        'cache-control': 'no-store',
    }
