"""Plain ROSA (jpl-rosa, NASA JPL): its own loop, its own ROS 2 tools, and the rover's tools.

Public functions: `ROSA(ros_version, llm, tools)` and `invoke`. Run in an environment with
jpl-rosa: `PYTHON -m bench.guard.peers.rosa_peer URL`.
"""

from __future__ import annotations

from importlib.metadata import version
import sys

from langchain.agents import tool
from langchain_openai import ChatOpenAI
from rosa import ROSA

from bench.guard.peers.robot_tools import RoverTools
from bench.guard.peers.wire import Bench


def main(url: str) -> None:
    """Pursues the goals of the bench."""
    bench = Bench()
    model = ChatOpenAI(model='guard-bench', base_url=url, api_key='none', max_retries=1)
    tools = [tool(each) for each in RoverTools(bench.call, bench.sleep).all()]

    def pursue(goal: str) -> str:
        agent = ROSA(ros_version=2, llm=model, tools=tools)  # as its README does, one per session
        answer = agent.invoke(goal)
        if answer.startswith('An error occurred: '):  # which it returns as an answer
            raise RuntimeError(answer)
        return str(answer)

    bench.serve(pursue)


if __name__ == '__main__':
    print(f'jpl-rosa {version("jpl-rosa")}', file=sys.stderr)
    main(sys.argv[1])
