"""Chooses the model of a part, vision or memory: one of its own, or that of the planner."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from rover_common.config.settings import ModelChoice, ModelSettings
from rover_common.llm.providers.catalogue import CATALOGUE

if TYPE_CHECKING:
    pass


Settings = TypeVar('Settings', bound=ModelSettings)


def chosen_model(
    own: ModelChoice, planner: ModelSettings, kind: type[Settings]
) -> Settings | None:
    """The settings of the model to use; None: none, the part works without.

    `kind`: names the file and section of the part's model.
    """
    given = {name: getattr(planner, name) for name in ModelSettings.model_fields}
    if own.provider:  # another one: what belongs to the planner's does not count
        given |= {'provider': own.provider, 'model': own.model, 'base_url': own.base_url}
    elif own.model:
        given['model'] = own.model
    if given['provider'] not in CATALOGUE:
        return None
    return kind(**(given | {'timeout_s': own.timeout_s}))
