"""Blanks what the URLs of a text keep secret, where others may read it: files, ROS parameters."""

from __future__ import annotations

import re

BLANKED = '***'
URL_SECRETS = (
    # A password may have an @ or a / that is not escaped.
    (re.compile(r'(\w+://)(?:[^/\s]+|[^?\s]+)@'), rf'\g<1>{BLANKED}@'),
    (re.compile(r'(\w+://[^\s?]*\?)\S+'), rf'\g<1>{BLANKED}'),
)


def without_secrets(text: str) -> str:
    """Return the text with user, password and query of URLs blanked."""
    for pattern, replacement in URL_SECRETS if '://' in text else ():
        text = pattern.sub(replacement, text)
    return text
