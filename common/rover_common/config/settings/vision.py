"""vision.yaml: the gateway for clients, the watch, episodes, and the model that sees."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from rover_common.config.settings.model import ModelChoice
from rover_common.config.settings.section import Fraction, Seconds, Section

Megabytes = Annotated[float, Field(gt=0.0)]


class VisionLimits(Section):
    """What a client may send."""

    max_pictures: Annotated[int, Field(ge=1, le=5)]
    max_body_mb: Megabytes
    max_bodies_mb: Megabytes
    max_picture_mb: Megabytes
    max_pixels: Annotated[int, Field(ge=1)]
    max_edge: Annotated[int, Field(ge=1, le=65535)]
    max_sockets: Annotated[int, Field(ge=1)]


class WatchDefaults(Section):
    """Initial settings of the watch; changes are kept in a database."""

    enabled: bool
    interval_s: Annotated[int, Field(ge=1)]
    target: str | None
    dark_below: Fraction
    moved_above: Fraction
    longest_pause_s: Seconds


class EpisodeSettings(Section):
    """What is kept of looks, and how much of it."""

    max_pictures: Annotated[int, Field(ge=0)]
    max_mb: Megabytes
    max_episodes: Annotated[int, Field(ge=1)]


class SeeingModel(ModelChoice):
    """The model that sees, and what it is given. `max_edge`: pixels; larger ones are scaled."""

    max_edge: Annotated[int, Field(ge=64)]


class VisionSettings(Section):
    """vision.yaml: what the process `vision` reads."""

    host: str
    port: Annotated[int, Field(ge=0, le=65535)]
    port_tries: Annotated[int, Field(ge=1, le=100)]
    dialect: Literal['unit_id', 'event_id']
    capture_timeout_s: Seconds
    chat_timeout_s: Seconds
    folder: str
    limits: VisionLimits
    watch: WatchDefaults
    episodes: EpisodeSettings
    model: SeeingModel
