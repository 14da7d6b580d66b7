"""Chooses the planner that the configuration names."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from langchain_core.language_models import BaseChatModel

from bt_executive.planner.offline.chat_model import OfflineChatModel
from bt_executive.planner.rosa_planner import RosaPlanner
from bt_executive.ports import Planner
from bt_executive.settings import Config

PROVIDERS: Mapping[str, Callable[[Config], BaseChatModel]] = {
    'offline': lambda _config: OfflineChatModel(),
}


def make_planner(config: Config, wake: Callable[[], None]) -> Planner:
    """The planner for this configuration, ready for its first goal.

    Args:
        config: The whole configuration; `executive.planner.provider` names the model.
        wake: Called from a worker thread whenever `poll` has something new.
    """
    model = PROVIDERS[config.executive.planner.provider](config)
    return RosaPlanner(model, config.prompts, wake)
