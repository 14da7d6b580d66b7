"""Completion of a typed line: commands, ids of requests, tools, and names of goals. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
import re

from bt_executive.client.typed_commands import Vocabulary
from bt_executive.view.current_view import CurrentView
from rover_common.text_sanitizing import incoming_text, one_line

ANSWERS = (':approve', ':edit', ':reject')


@dataclass(frozen=True)
class Suggestion:
    """`text` replaces the last `replaces` characters of the line."""

    text: str
    replaces: int
    description: str


def suggestions(line: str, vocabulary: Vocabulary, view: CurrentView) -> Iterator[Suggestion]:
    """Yield the completions of a line, which ends at the cursor."""
    text = incoming_text(f'{line}|')[:-1]  # the bar keeps a blank before the cursor
    command, *arguments = re.split(r'\s+', text, maxsplit=1)
    if arguments:
        prefix = arguments[0]
        choices = _argument_choices(command, vocabulary, view)
    elif text.startswith(':'):
        choices = {name: entry.description for name, entry in vocabulary.commands.items()}
        prefix = text
    else:
        choices, prefix = (vocabulary.templates if text else {}), text
    for choice, description in choices.items():
        if choice.startswith(prefix) and choice != prefix:
            yield Suggestion(choice, len(prefix), description)


def _argument_choices(
    command: str, vocabulary: Vocabulary, view: CurrentView
) -> Mapping[str, str]:
    if command in ANSWERS:
        return {
            str(request.get('id')): one_line(str(request.get('tool'))) for request in view.requests
        }
    if command == ':tool':
        return {name: skill.description for name, skill in vocabulary.tools.items()}
    return {}
