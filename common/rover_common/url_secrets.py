"""Blanks what the URLs of a text keep secret, where others may read it: files, ROS parameters."""

from __future__ import annotations

import re

BLANKED = '***'
URL_SECRETS = (
    (re.compile(r'(\w+://)[^/@\s]+@'), rf'\g<1>{BLANKED}@'),
    (re.compile(r'(\w+://[^\s?]*\?)\S+'), rf'\g<1>{BLANKED}'),
)


def without_secrets(text: str) -> str:
    """Return the text with user, password and query of URLs blanked."""
    for pattern, replacement in URL_SECRETS if '://' in text else ():
        text = pattern.sub(replacement, text)
    return text
