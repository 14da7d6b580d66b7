"""One goal, pursued by an agent of its own in the worker thread."""

from __future__ import annotations

from langchain_core.language_models import BaseChatModel
from langsmith import tracing_context

from bt_executive.core.executive_ports import Answer, PlannerContext, PlannerFailure
from bt_executive.planner.conversation import Conversation
from bt_executive.planner.exchange_record import Recorder
from bt_executive.planner.goal_history import as_messages
from bt_executive.planner.model_client import ModelClient
from bt_executive.planner.planner_run import Run, RunFailed
from bt_executive.planner.prompts import GOAL_LIMIT, prompts_of, system_prompt
from bt_executive.planner.proposal_form import ProposalForm
from bt_executive.planner.rosa_agent import ProposingRosa
from rover_common.config.settings import Config
from rover_common.llm.circuit_breaker import Circuit
from rover_common.llm.model_errors import model_error_of
from rover_common.llm.model_source import ModelSource
from rover_common.llm.model_usage import Meter
from rover_common.llm.sanitize import sanitize
from rover_common.llm.transport import Transport


class GoalAgent:
    """ROSA with a conversation of its own. The arguments are those of `RosaPlanner`."""

    def __init__(
        self,
        config: Config,
        source: ModelSource,
        circuit: Circuit,
        form: ProposalForm,
        recorder: Recorder | None,
    ) -> None:
        self._config = config
        self._settings = config.executive.planner
        self._source = source
        self._circuit = circuit
        self._form = form
        self._recorder = recorder

    def pursue(
        self, run: Run, meter: Meter, goal: str, context: PlannerContext
    ) -> Answer | PlannerFailure:
        """Asks the model, hands its calls over and returns how it ended."""
        transport = Transport(self._settings.request, run.check)
        run.if_cancelled(transport.cut)
        streaming = self._config.executive.agent.streaming
        client = ModelClient(run, transport, self._circuit, self._source, streaming)
        conversation = Conversation(
            run, client, meter, self._settings, context.toolset, self._form, self._recorder
        )
        with transport.in_use(), tracing_context(enabled=False):
            run.check()
            agent = ProposingRosa(
                self._model(),
                system_prompt(
                    prompts_of(self._config), context.toolset, context.memory, context.known
                ),
                context.toolset,
                context.max_tool_calls,
                run.hand_over,
                conversation.ask,
                as_messages(context.history),
            )
            return agent.pursue(sanitize(goal, GOAL_LIMIT))

    def _model(self) -> BaseChatModel:
        try:
            return self._source.model
        except Exception as error:  # every client library has its own, and some repeat the key
            fault = model_error_of(error, self._source.name, self._source.hide)
            raise RunFailed(fault.sentence) from None
