"""Finds a tool call that a model wrote as text. Such a text is never carried out."""

from __future__ import annotations

from collections.abc import Collection, Iterator
import re

_LONGEST_LOOK = 16_000  # characters at the end of a message
# How the chat templates of models begin a call; nobody writes this in an answer.
_MARKER = re.compile(
    r'<\|?(?:tool|function)[_▁]calls?(?:[_▁]begin)?\|?>|<tool_use>|<function=|<invoke name='
    r'|<｜tool[_▁]calls?[_▁]begin｜>|<\|python_tag\|>|\[TOOL_(?:CALLS?|REQUEST)\]|to=functions\.',
    re.IGNORECASE,
)
# In JSON, also in half of it: {"name": "NAME"}, {"function": {"name": "NAME"}}, {"NAME": {}}.
_IN_JSON = re.compile(
    r"""\\?["'](?:name|tool|tool_name|function|action)\\?["']\s*:\s*"""
    r"""\\?["'](?:functions\.)?([\w-]+)\\?["']"""
    r"""|["']([\w-]+)["']\s*:\s*\{"""
)
_ACTION = re.compile(
    r'^[ \t*]*Action[ \t*]*:[ \t*`]*(?:functions\.)?([\w-]+)[ \t*`]*(?:\([^\n]*\))?[ \t`]*'
    r'(?:\s*\Z|\n\s*\**Action Input)',
    re.MULTILINE | re.IGNORECASE,
)
_CODE = re.compile(r"""(?:functions\.)?([\w-]+)\s*\((?:[^()"']|"[^"]*"|'[^']*')*\)""")
_FENCE = re.compile(r'```\w*')
_BETWEEN_CALLS = re.compile(r'[\s;,`\[\]]*')


def is_call_as_text(words: str, offered: Collection[str]) -> bool:
    """Whether the words are, or hold, a call; a tool's name in a sentence is none."""
    words = words[-_LONGEST_LOOK:]
    return bool(_MARKER.search(words)) or any(name in offered for name in _names_in(words))


def _names_in(words: str) -> Iterator[str]:
    """What would be a tool's name, if the words were a call."""
    for found in (*_IN_JSON.finditer(words), *_ACTION.finditer(words)):
        yield from (name for name in found.groups() if name)
    code = _FENCE.sub('', words)
    if not _BETWEEN_CALLS.sub('', _CODE.sub('', code)):
        yield from (found[1] for found in _CODE.finditer(code))
