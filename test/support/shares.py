"""How much of what a test could look at `make test` looks at; `make steady` leaves nothing out."""

from __future__ import annotations

from hypothesis import settings


def share(part: int, whole: int) -> int:
    """How many of something this run looks at."""
    return whole if settings.get_current_profile_name() == 'thorough' else part
