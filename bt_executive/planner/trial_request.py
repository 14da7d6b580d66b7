"""Requests a few tokens of the configured model, with a tool offered, for `doctor --provider`.

It finds faults that the probe does not: a key without credit, a model that refuses tools.
"""

from __future__ import annotations

from collections.abc import Mapping
import time

from bt_executive.core.executive_ports import ToolOffer
from bt_executive.planner.configured_model_check import check_provider
from bt_executive.planner.planner_choice import make_source
from bt_executive.planner.rosa_agent import proxy
from bt_executive.planner.tool_calls_or_schema import ProposalForm
from rover_common.config.settings import PlannerSettings
from rover_common.errors import ConfigError
from rover_common.llm.bounded_http import Transport
from rover_common.llm.model_errors import model_error_of

TOKENS = 16  # reasoning models refuse a limit of one
PROMPT = [('user', 'Call ready.')]
TIMEOUT_S = 10.0  # a model may still be loading
READY = ToolOffer('ready', 'Says that you are ready.', {}, 0.0)


def smoke_test(settings: PlannerSettings, environment: Mapping[str, str]) -> str:
    """Return a sentence about the provider's answer.

    Raises:
        ConfigError: The model is not available; the text says why.
    """
    notices: list[str] = []
    info = check_provider(settings, environment, notices.append)
    few = settings.model_copy(update={'max_answer_tokens': TOKENS, 'timeout_s': TIMEOUT_S})
    source = make_source(few, environment, info=info)
    form = ProposalForm(
        settings.constrained, source, lambda sentence, _ok: notices.append(sentence)
    )
    transport = Transport(settings.request, check=lambda: None)
    start = time.monotonic()
    transport.deadline = start + settings.request.whole_s
    try:
        with transport.in_use():
            if form.is_constrained:
                form.constrained([READY]).invoke(PROMPT)
            else:
                source.model.bind_tools([proxy(READY, lambda _call: '')]).invoke(PROMPT)
    except Exception as error:  # every client library has its own
        raise ConfigError(model_error_of(error, source.name, source.hide).sentence) from None
    answered = f'{info.sentence}: answered within {time.monotonic() - start:.1f} s'
    return '. '.join([answered, *notices])
