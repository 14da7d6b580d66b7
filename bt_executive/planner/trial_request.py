"""Asks the configured model for a few tokens, with a tool offered, as `doctor` does on request.

It finds what no look at the server finds: a key without credit, a model that refuses tools.
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
ASKED = [('user', 'Call ready.')]
PATIENCE_S = 10.0  # with a model that is still being loaded
READY = ToolOffer('ready', 'Says that you are ready.', {}, 0.0)


def smoke_test(settings: PlannerSettings, environment: Mapping[str, str]) -> str:
    """What the provider said to it, in a few words.

    Raises:
        ConfigError: The model cannot be had; the text says why.
    """
    told: list[str] = []
    where = check_provider(settings, environment, told.append)
    few = settings.model_copy(update={'max_answer_tokens': TOKENS, 'timeout_s': PATIENCE_S})
    source = make_source(few, environment, found=where)
    form = ProposalForm(settings.constrained, source, lambda sentence, _ok: told.append(sentence))
    transport = Transport(settings.request, check=lambda: None)
    begin = time.monotonic()
    transport.deadline = begin + settings.request.whole_s
    try:
        with transport.in_use():
            if form.is_constrained:
                form.hold([READY]).invoke(ASKED)
            else:
                source.model.bind_tools([proxy(READY, lambda _call: '')]).invoke(ASKED)
    except Exception as error:  # every client library has its own
        raise ConfigError(model_error_of(error, source.name, source.hide).sentence) from None
    answered = f'{where.sentence}: answered within {time.monotonic() - begin:.1f} s'
    return '. '.join([answered, *told])
