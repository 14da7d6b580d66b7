"""ROSA with our tools, prompts and message parsing, and its own agent loop.

`rosa.ROSA` builds the agent (`create_tool_calling_agent`) and runs it (`AgentExecutor`). Three of
its hooks are overridden so that nothing else of ROSA reaches the robot:

- `_get_tools`: exactly the toolset; ROSA's default tools act on the robot behind the tree.
- `_get_prompts`: one system message of ours; ROSA's list is shared by all instances of a process
  and orders the model to obey tags in tool results. The goal comes before ROSA's chat history,
  which holds the steps of this goal before it was parked.
- `_get_agent`: the same agent with two other steps: one requests the model with retries and within
  limits, the last one parses its messages.

`invoke` is used, not `astream`: it executes the calls of a message one after the other in the
calling thread, where an exception derived from BaseException unwinds the whole loop at once.
`astream` would run them concurrently in threads of a pool.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, Literal

from langchain.agents.output_parsers.tools import ToolAgentAction
from langchain_core.agents import AgentFinish
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage
from langchain_core.prompt_values import PromptValue
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.tools import StructuredTool
from langsmith import tracing_context
from rosa import ROSA

from bt_executive.core.executive_ports import Answer, PlannerContext, PlannerFailure, ToolOffer
from bt_executive.planner.context_window import as_messages
from bt_executive.planner.exchange_record import Recorder
from bt_executive.planner.model_message_reading import Call, MessageReader
from bt_executive.planner.model_requests_and_timeouts import Conversation, ModelClient
from bt_executive.planner.planner_run import Run, RunFailed
from bt_executive.planner.prompt_toolset_and_result_text import (
    GOAL_LIMIT,
    args_schema,
    describe,
    prompts_of,
    system_prompt,
    within_budget,
)
from bt_executive.planner.tool_calls_or_schema import ProposalForm
from rover_common.config.settings import Config
from rover_common.llm.bounded_http import Transport
from rover_common.llm.model_errors import model_error_of
from rover_common.llm.model_source import ModelSource
from rover_common.llm.model_usage import Meter
from rover_common.llm.retry_and_circuit_breaker import CircuitBreaker
from rover_common.text_sanitizing import sanitize

Propose = Callable[[Call], str]
Ask = Callable[[Runnable[Any, Any], PromptValue], AIMessage]


class ProposingRosa(ROSA):
    """The agent of one goal: it proposes each call, and executes none."""

    def __init__(
        self,
        model: BaseChatModel,
        system_prompt: str,
        toolset: Sequence[ToolOffer],
        max_tool_calls: int,
        propose: Propose,
        ask: Ask,
        history: Sequence[BaseMessage] = (),
    ) -> None:
        self._ask = ask
        self._system_prompt = system_prompt
        self._proxies = [proxy(offer, propose) for offer in toolset]
        has_arguments = {each.name: bool(each.args_schema.get('properties')) for each in toolset}
        self._reader = MessageReader(has_arguments, history)
        self._answer: str | None = None
        self._refused = False
        super().__init__(
            ros_version=2,
            llm=model,
            accumulate_chat_history=False,
            streaming=False,
            max_iterations=max_tool_calls + 1,  # one more message for the answer
        )
        self.chat_history.extend(history)

    def pursue(self, goal: str) -> Answer | PlannerFailure:
        """Run the loop to its end in the calling thread.

        ROSA returns faults and exhausted limits as if they were answers; here only the last
        message of the model is one.
        """
        text = self.invoke(goal)
        if self._answer is None:
            return PlannerFailure(f'The model did not come to an answer. {text:.500}')
        if not self._answer:
            return PlannerFailure('The model ended without a word and without a tool call.')
        return PlannerFailure(self._answer) if self._refused else Answer(self._answer)

    def _get_tools(
        self,
        ros_version: Literal[1, 2],  # noqa: ARG002 - signatures are ROSA's
        packages: list[Any] | None,  # noqa: ARG002
        tools: list[Any] | None,  # noqa: ARG002
        blacklist: list[str] | None,  # noqa: ARG002
    ) -> SimpleNamespace:
        return SimpleNamespace(get_tools=lambda: self._proxies)

    def _get_prompts(self, robot_prompts: object = None) -> ChatPromptTemplate:  # noqa: ARG002
        # Messages, not templates, so braces in them are text.
        return ChatPromptTemplate.from_messages(
            [
                SystemMessage(self._system_prompt),
                ('user', '{input}'),
                MessagesPlaceholder('chat_history'),
                MessagesPlaceholder('agent_scratchpad'),
            ]
        )

    def _get_agent(self) -> Runnable[Any, Any]:
        scratchpad, prompt, model, _parser = super()._get_agent().steps
        ask = RunnableLambda(lambda prompt_value: self._ask(model, prompt_value))
        return scratchpad | prompt | ask | RunnableLambda(self._read)

    def _read(self, message: BaseMessage) -> list[ToolAgentAction] | AgentFinish:
        parsed = self._reader.read(message)
        if not parsed.calls:
            self._answer, self._refused = parsed.text, parsed.refused
            return AgentFinish({'output': parsed.text}, parsed.text)
        return [
            ToolAgentAction(
                tool=self._proxy_for(call.proposal.tool),
                tool_input={'call': call},
                log=call.proposal.thought,
                message_log=[parsed.message],
                tool_call_id=call.proposal.call_id,
            )
            for call in parsed.calls
        ]

    def _proxy_for(self, tool: str) -> str:
        """Return the name of the proxy for a call of this tool.

        All proxies are alike, so a call of an unknown tool uses the first one: the tree refuses
        it with a reason, and the trace records it.
        """
        names = [each.name for each in self._proxies]
        return tool if tool in names or not names else names[0]


def proxy(offer: ToolOffer, propose: Propose) -> StructuredTool:
    """Return a tool that proposes its call and returns the result as text.

    Arguments are not validated here, so that the tree refuses all faults in one place.
    """

    def func(call: Call) -> str:
        return propose(call)

    return StructuredTool(
        name=offer.name, description=describe(offer), args_schema=args_schema(offer), func=func
    )


def pursue_goal(
    config: Config,
    source: ModelSource,
    circuit: CircuitBreaker,
    form: ProposalForm,
    recorder: Recorder | None,
    run: Run,
    meter: Meter,
    goal: str,
    context: PlannerContext,
) -> Answer | PlannerFailure:
    """Run ROSA for a goal in the worker thread of its run, and return its answer or failure.

    The model and what belongs to it are those of `RosaPlanner`.
    """
    settings, prompts, toolset = config.executive.planner, prompts_of(config), context.toolset
    transport = Transport(settings.request, run.check)
    run.on_cancel(transport.cut)
    client = ModelClient(run, transport, circuit, source, config.executive.agent.streaming)
    if source.is_served:  # the offline model has no limit
        toolset = within_budget(prompts, toolset)
    conversation = Conversation(run, client, meter, settings, toolset, form, recorder)
    with transport.in_use(), tracing_context(enabled=False):
        run.check()
        try:
            model = source.model
        except Exception as error:  # every client library has its own, and some repeat the key
            fault = model_error_of(error, source.name, source.hide)
            raise RunFailed(fault.sentence) from None
        agent = ProposingRosa(
            model,
            system_prompt(prompts, toolset, context.memory, context.known),
            toolset,
            context.max_tool_calls,
            run.propose,
            conversation.ask,
            list(as_messages(context.history)),
        )
        return agent.pursue(sanitize(goal, GOAL_LIMIT))
