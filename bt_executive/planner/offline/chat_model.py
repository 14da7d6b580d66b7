"""The offline model as a langchain chat model, so that ROSA runs it like any other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from bt_executive.planner.offline.decision import Say
from bt_executive.planner.offline.experience import recall
from bt_executive.planner.offline.policy import decide
from bt_executive.planner.offline.toolbox import Toolbox


class OfflineChatModel(BaseChatModel):
    """Chooses the next tool from the messages and the bound tools alone; deterministic."""

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
        """Offers tools, like every chat model that can call tools."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - the signature is langchain's
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,
    ) -> ChatResult:
        decision = decide(recall(messages), Toolbox.of(kwargs.get('tools', ())))
        if isinstance(decision, Say):
            message = AIMessage(decision.text)
        else:
            call_id = f'offline-{sum(isinstance(each, AIMessage) for each in messages) + 1}'
            call = {'name': decision.tool, 'args': dict(decision.arguments), 'id': call_id}
            message = AIMessage(decision.why, tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=message)])
