"""Plain ROSA (jpl-rosa, NASA JPL): its own loop, its own ROS 2 tools, and the rover's tools.

Public functions: `ROSA(ros_version, llm, tools)` and `invoke`. Run in an environment with
jpl-rosa: `PYTHON -m bench.guard.peers.rosa_peer URL`. With further arguments, a model's name, the
most tokens of an answer and the most calls, the model is a real one (`bench.models.plain_rosa`),
the robot has a status as well, and what the model called is counted.
"""

from __future__ import annotations

from importlib.metadata import version
import sys
from typing import Any

from langchain.agents import tool
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage
from langchain_core.outputs import LLMResult
from langchain_openai import ChatOpenAI
from rosa import ROSA

from bench.guard.peers.robot_tools import RoverTools
from bench.guard.peers.wire import Bench


class Counter(BaseCallbackHandler):
    """Counts what a model calls: all, those of a tool, and those that its schema takes."""

    def __init__(self, tools: dict[str, Any], noted: dict[str, int]) -> None:
        self._tools, self._noted = tools, noted

    def on_llm_end(self, response: LLMResult, **_given: Any) -> None:
        """See `BaseCallbackHandler.on_llm_end`."""
        generated = [
            getattr(each, 'message', None) for row in response.generations for each in row
        ]
        for message in (each for each in generated if isinstance(each, AIMessage)):
            used = message.usage_metadata
            self._add('model_calls', 1)
            self._add('tokens', used['total_tokens'] if used else 0)
            self._add('calls', len(message.tool_calls) + len(message.invalid_tool_calls))
            self._add('valid', sum(map(self._is_valid, message.tool_calls)))

    def _add(self, name: str, count: int) -> None:
        self._noted[name] = self._noted.get(name, 0) + count

    def _is_valid(self, call: Any) -> bool:
        called = self._tools.get(call['name'])
        try:
            return called is not None and bool(called.args_schema.model_validate(call['args']))
        except ValueError:
            return False


def main(url: str, name: str = 'guard-bench', tokens: str = '', calls: str = '') -> None:
    """Pursues the goals of the bench."""
    bench = Bench()
    given: dict[str, Any] = {'max_tokens': int(tokens), 'stream_usage': True} if tokens else {}
    loop = {'max_iterations': int(calls) + 1} if calls else {}
    model = ChatOpenAI(model=name, base_url=url, api_key='none', max_retries=1, **given)
    robot = RoverTools(bench.call, bench.sleep)
    tools = [tool(each) for each in (*robot.all(), *((robot.get_status,) if tokens else ()))]

    def pursue(goal: str) -> str:
        agent = ROSA(ros_version=2, llm=model, tools=tools, **loop)  # as its README does
        if tokens:
            bench.noted.clear()
            offered = agent._ROSA__tools.get_tools()
            model.callbacks = [Counter({each.name: each for each in offered}, bench.noted)]
        answer = agent.invoke(goal)
        if answer.startswith('An error occurred: '):  # which it returns as an answer
            raise RuntimeError(answer)
        return str(answer)

    bench.serve(pursue)


if __name__ == '__main__':
    print(f'jpl-rosa {version("jpl-rosa")}', file=sys.stderr)
    main(*sys.argv[1:])
