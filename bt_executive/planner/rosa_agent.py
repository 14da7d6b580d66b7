"""ROSA with our tools, our prompts and our reading of the model's messages, and its own loop.

`rosa.ROSA` builds the agent (`create_tool_calling_agent`) and runs it (`AgentExecutor`). Three of
its hooks are overridden so that nothing else of ROSA reaches the robot:

- `_get_tools`: exactly the toolset; ROSA's default tools act on the robot behind the tree.
- `_get_prompts`: one system message of ours; ROSA's list is shared by all instances of a process
  and orders the model to obey tags in tool results. The goal comes before ROSA's chat history,
  which holds what was done for this very goal before it was parked.
- `_get_agent`: the same agent with two other steps: one asks the model with patience and within
  limits, the last one reads its messages.

`invoke` is used, not `astream`: it carries out the calls of a message one after the other in the
calling thread, where an exception derived from BaseException unwinds the whole loop at once.
`astream` would run them side by side in threads of a pool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from langchain.agents.output_parsers.tools import ToolAgentAction
from langchain_core.agents import AgentFinish
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage
from langchain_core.prompt_values import PromptValue
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.tools import BaseTool, StructuredTool
from langsmith import tracing_context
from rosa import ROSA

from bt_executive.core.executive_ports import Answer, PlannerContext, PlannerFailure, ToolOffer
from bt_executive.planner.exchange_record import Recorder
from bt_executive.planner.goal_history import as_messages
from bt_executive.planner.model_conversation import Conversation, ModelClient
from bt_executive.planner.model_message_reading import Call, MessageReader
from bt_executive.planner.planner_run import Run, RunFailed
from bt_executive.planner.prompts import GOAL_LIMIT, prompts_of, system_prompt, within_budget
from bt_executive.planner.tool_calls_or_schema import ProposalForm
from bt_executive.planner.toolset import args_schema, describe
from rover_common.config.settings import Config
from rover_common.llm.bounded_http import Transport
from rover_common.llm.circuit_breaker import CircuitBreaker
from rover_common.llm.model_errors import model_error_of
from rover_common.llm.model_source import ModelSource
from rover_common.llm.model_usage import Meter
from rover_common.llm.providers.catalogue import CATALOGUE
from rover_common.llm.sanitize import sanitize

HandOver = Callable[[Call], str]
Ask = Callable[[Runnable[Any, Any], PromptValue], AIMessage]


def ask_once(model: Runnable[Any, Any], prompt: PromptValue) -> AIMessage:
    """Asks a model without patience: one call, whatever comes of it."""
    message: AIMessage = model.invoke(prompt)
    return message


class OfferedTools:
    """The toolset in the shape of `rosa.tools.ROSATools`, without the defaults of that class."""

    def __init__(self, tools: Sequence[StructuredTool]) -> None:
        self._tools = list(tools)

    def get_tools(self) -> list[BaseTool]:
        """The tools, in the order of the toolset."""
        return list(self._tools)


class ProposingRosa(ROSA):
    """One goal's agent: every tool that it calls is handed over, none is carried out here."""

    def __init__(
        self,
        model: BaseChatModel,
        system_prompt: str,
        toolset: Sequence[ToolOffer],
        max_tool_calls: int,
        hand_over: HandOver,
        ask: Ask = ask_once,
        history: Iterable[BaseMessage] = (),
    ) -> None:
        self._ask = ask
        self._system_prompt = system_prompt
        self._proxies = [proxy(offer, hand_over) for offer in toolset]
        takes_some = {each.name: bool(each.args_schema.get('properties')) for each in toolset}
        self._reader = MessageReader(takes_some)
        self._last_words: str | None = None
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
        """Runs the loop to its end in the calling thread.

        ROSA returns faults and exhausted limits as if they were answers; here only what the model
        itself said last is one.
        """
        text = self.invoke(goal)
        if self._last_words is None:
            return PlannerFailure(f'The model did not come to an answer. {text:.500}')
        if not self._last_words:
            return PlannerFailure('The model ended without a word and without a tool call.')
        return PlannerFailure(self._last_words) if self._refused else Answer(self._last_words)

    def _get_tools(
        self,
        ros_version: Literal[1, 2],  # noqa: ARG002 - signatures are ROSA's
        packages: list[Any] | None,  # noqa: ARG002
        tools: list[Any] | None,  # noqa: ARG002
        blacklist: list[str] | None,  # noqa: ARG002
    ) -> OfferedTools:
        return OfferedTools(self._proxies)

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
        ask = RunnableLambda(lambda asked: self._ask(model, asked))
        return scratchpad | prompt | ask | RunnableLambda(self._read)

    def _read(self, message: BaseMessage) -> list[ToolAgentAction] | AgentFinish:
        said = self._reader.read(message)
        if not said.calls:
            self._last_words, self._refused = said.text, said.refused
            return AgentFinish({'output': said.text}, said.text)
        return [
            ToolAgentAction(
                tool=self._door(call.proposal.tool),
                tool_input={'call': call},
                log=call.proposal.thought,
                message_log=[said.message],
                tool_call_id=call.proposal.call_id,
            )
            for call in said.calls
        ]

    def _door(self, tool: str) -> str:
        """The proxy that carries a call of this tool.

        All proxies are alike, so the call of an unknown tool goes by the first one: the tree
        refuses it with a reason, and the trace has it.
        """
        names = [each.name for each in self._proxies]
        return tool if tool in names or not names else names[0]


def proxy(offer: ToolOffer, hand_over: HandOver) -> StructuredTool:
    """A tool that hands the call over and returns what came of it as text.

    Arguments are not checked here, so that the tree refuses all that is wrong in one place.
    """

    def func(call: Call) -> str:
        return hand_over(call)

    return StructuredTool(
        name=offer.name, description=describe(offer), args_schema=args_schema(offer), func=func
    )


class GoalAgent:
    """ROSA with a conversation of its own. The arguments are those of `RosaPlanner`."""

    def __init__(
        self,
        config: Config,
        source: ModelSource,
        circuit: CircuitBreaker,
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
        prompts, toolset = prompts_of(self._config), context.toolset
        if self._source.name in CATALOGUE:  # the offline model reads all, and pays nothing for it
            toolset = within_budget(prompts, toolset)
        conversation = Conversation(
            run, client, meter, self._settings, toolset, self._form, self._recorder
        )
        with transport.in_use(), tracing_context(enabled=False):
            run.check()
            agent = ProposingRosa(
                self._model(),
                system_prompt(prompts, toolset, context.memory, context.known),
                toolset,
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
