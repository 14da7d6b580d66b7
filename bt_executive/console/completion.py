"""What can be typed next: commands, ids of requests, tools, and names of goals. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
import re

from bt_executive.client.typed_commands import Vocabulary
from bt_executive.view.current_view import CurrentView
from rover_common.incoming_text import incoming_text
from rover_common.printable import one_line

ANSWERS = (':approve', ':edit', ':reject')


@dataclass(frozen=True)
class Suggestion:
    """`text` takes the place of the last `replaces` characters of the line."""

    text: str
    replaces: int
    description: str


def suggestions(line: str, vocabulary: Vocabulary, view: CurrentView) -> Iterator[Suggestion]:
    """What fits the line so far, which ends at the cursor."""
    words = incoming_text(f'{line}|')[:-1]  # the bar keeps a blank before the cursor
    command, *others = re.split(r'\s+', words, maxsplit=1)
    if others:
        rest = others[0]
        known = _second_words(command, vocabulary, view)
    elif words.startswith(':'):
        known = {word: each.description for word, each in vocabulary.commands.items()}
        rest = words
    else:
        known, rest = (vocabulary.templates if words else {}), words
    for text, description in known.items():
        if text.startswith(rest) and text != rest:
            yield Suggestion(text, len(rest), description)


def _second_words(command: str, vocabulary: Vocabulary, view: CurrentView) -> Mapping[str, str]:
    if command in ANSWERS:
        return {
            str(request.get('id')): one_line(str(request.get('tool'))) for request in view.requests
        }
    if command == ':tool':
        return {name: skill.description for name, skill in vocabulary.tools.items()}
    return {}
