"""The offline model as a langchain chat model, so that ROSA runs it like any other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field

from bt_executive.planner.offline.conversation_steps import (
    Act,
    Decision,
    FinalAnswer,
    read_transcript,
)
from bt_executive.planner.offline.next_step import decide
from bt_executive.planner.offline.offered_tools import tools_by_name
from rover_common.config.robot_examples import RobotExamples
from rover_common.config.settings import Skill
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_message_text import REFUSAL
from rover_common.process.threads import describe_error


class OfflineChatModel(BaseChatModel):
    """Chooses the next tool from the messages, the bound tools and their examples.

    It is deterministic.

    Attributes:
        examples: Of the robot's tools, and of what none of them covers.
        skills: The robot's tools, from its file.
    """

    # langchain takes the repr of the model for each call: without thousands of examples.
    examples: RobotExamples = Field(default=RobotExamples({}), repr=False)
    skills: Mapping[str, Skill] = Field(default={}, repr=False)

    @property
    def _llm_type(self) -> str:
        return 'bt-executive-offline'

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,  # noqa: ARG002 - the signature is langchain's
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, BaseMessage]:
        """Bind tools, like any chat model that can call tools."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - the signature is langchain's
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,
    ) -> ChatResult:
        try:
            message = self._next(messages, kwargs.get('tools', ()))
        except ModelError:
            raise
        except Exception as error:  # a fault of its own: a retry would fail in the same way
            sentence = f'The offline model has a fault of its own: {describe_error(error)}'
            raise ModelError(sentence, again=False) from error
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _next(self, messages: list[BaseMessage], offered: Sequence[dict[str, Any]]) -> AIMessage:
        tools = tools_by_name(offered, self.examples, self.skills)
        transcript = read_transcript(messages)
        may_abort = 'abort' in tools and all(step.tool != 'abort' for step in transcript.steps)
        number = sum(isinstance(each, AIMessage) for each in messages) + 1
        return _message(
            decide(transcript, tools, self.examples.no_tool), may_abort, f'offline-{number}'
        )


def _message(decision: Decision, may_abort: bool, call_id: str) -> AIMessage:
    if isinstance(decision, FinalAnswer):
        return AIMessage(decision.text)
    if isinstance(decision, Act):
        call = {'name': decision.tool, 'args': dict(decision.arguments), 'id': call_id}
        return AIMessage(decision.why, tool_calls=[call])
    if may_abort:
        call = {'name': 'abort', 'args': {'reason': decision.reason}, 'id': call_id}
        return AIMessage('', tool_calls=[call])
    return AIMessage(decision.reason, additional_kwargs={REFUSAL: decision.reason})
