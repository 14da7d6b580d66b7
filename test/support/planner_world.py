"""A small light world to think in, and the palettes of both variants."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
import math
from typing import Any
import uuid

import jsonschema
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from offline_tools import NO_TOOL, tools_of
from pydantic import Field
from waiting import wait_until

from bt_executive.core.executive_ports import (
    Answer,
    PlannerContext,
    Proposal,
    ToolOffer,
    ToolResult,
)
from bt_executive.planner.offline.conversation_steps import Act, FinalAnswer, PastStep, Transcript
from bt_executive.planner.offline.next_step import decide

SPEED = 0.485  # m/s ahead
TURN_SPEED = 0.2425  # m/s while turning
TURN_RADIUS = 7.5  # m
NUDGE_S = 5.0
LONGEST_S = 30.0

NOTHING: dict[str, Any] = {'type': 'object', 'properties': {}, 'additionalProperties': False}
TIMED = {
    'type': 'object',
    'properties': {
        'duration_s': {'type': 'number', 'minimum': 0.5, 'maximum': LONGEST_S},
    },
    'additionalProperties': False,
}
REASON = {
    'type': 'object',
    'properties': {'reason': {'type': 'string'}},
    'required': ['reason'],
    'additionalProperties': False,
}
OFFERS = {
    offer.name: offer
    for offer in (
        ToolOffer('capture_and_score', 'Takes a picture and scores its brightness.', NOTHING, 1),
        ToolOffer('mast_open', 'Opens the mast.', NOTHING, 2),
        ToolOffer('mast_close', 'Closes the mast.', NOTHING, 2),
        ToolOffer('mast_rotate', 'Sweeps the mast once around.', NOTHING, 2),
        ToolOffer('move_nudge', 'Drives a little forward.', NOTHING, 5, ('mast closed',)),
        ToolOffer('move_forward', 'Drives forward for a time.', TIMED, 5, ('mast closed',)),
        ToolOffer('turn_left', 'Drives in a left bend for a time.', TIMED, 2, ('mast closed',)),
        ToolOffer('turn_right', 'Drives in a right bend for a time.', TIMED, 2, ('mast closed',)),
        ToolOffer('move_stop', 'Stops the rover.', NOTHING, 1),
        ToolOffer('get_status', 'Tells pose and mast.', NOTHING, 1),
        ToolOffer('abort', 'Gives the goal up.', REASON, 0),
    )
}
VARIANT_A = tuple(
    OFFERS[name] for name in ('capture_and_score', 'mast_rotate', 'move_nudge', 'get_status')
)
VARIANT_B = tuple(OFFERS.values())


def speed_of(tool: str) -> float:
    """Of a drive, in m/s."""
    return TURN_SPEED if tool.startswith('turn_') else SPEED


@dataclass
class LightWorld:
    """A rover on a plane whose light grows along x; it applies tools and gives results."""

    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0
    x_good: float = 5.0
    threshold: float = 0.8
    mast: bool = True  # whether there is a mast to guard
    poses: bool = True  # whether get_status knows the pose
    places: bool = True  # whether a picture tells where it was taken
    mast_open: bool = True
    faults: dict[str, list[str]] = field(default_factory=dict)  # reasons to fail with, per tool
    wall_x: float = math.inf  # something that holds the rover, 8 m wide
    zone_x: float = math.inf  # no drive of its own may lead further
    log: list[tuple[str, dict[str, Any], ToolResult]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Faults are used up: those of the test stay as they are."""
        self.faults = {tool: [*reasons] for tool, reasons in self.faults.items()}

    @property
    def score(self) -> float:
        return min(max(self.x / self.x_good, 0.0), 1.0)

    @property
    def tools(self) -> list[str]:
        return [tool for tool, _, _ in self.log]

    @property
    def refusals(self) -> list[tuple[str, str]]:
        return [(tool, result.error_reason) for tool, _, result in self.log if not result.ok]

    def apply(self, tool: str, arguments: dict[str, Any]) -> ToolResult:
        reasons = self.faults.get(tool)
        result = ToolResult(False, reasons.pop(0)) if reasons else self._run(tool, arguments)
        self.log.append((tool, dict(arguments), result))
        return result

    def _run(self, tool: str, arguments: dict[str, Any]) -> ToolResult:
        if tool.startswith(('move_n', 'move_f', 'turn_')):
            return self._drive(tool, arguments.get('duration_s', NUDGE_S))
        if tool == 'navigate_to':
            return self._navigate(arguments['x'], arguments['y'])
        if tool == 'capture_and_score':
            return self._capture()
        if tool == 'recall':
            where = {'name': 'Bishop', 'x': 7.0, 'y': 3.5}
            reason = 'Bishop at (7.0, 3.5) m, seen 9 s ago.'
            return ToolResult(True, data={'reason': reason, 'places': [where]})
        if tool == 'go_to_remembered':
            if self.mast and self.mast_open:
                return ToolResult(False, 'Need to close mast')
            return ToolResult(True, data={'name': 'Bishop', 'x': 7.0, 'seen_there': True})
        if tool == 'get_status':
            return ToolResult(True, data=self._status())
        if tool in ('mast_open', 'mast_close'):
            self.mast_open = tool == 'mast_open'
        return ToolResult(True)

    def _drive(self, tool: str, seconds: float) -> ToolResult:
        if self.mast and self.mast_open:
            return ToolResult(False, 'Need to close mast')
        assert 0.0 < seconds <= LONGEST_S
        if self.x + speed_of(tool) * seconds > self.zone_x:
            return ToolResult(False, 'Path comes too near', {'refused_by': 'outside_keep_out'})
        bend = {'turn_left': 1.0, 'turn_right': -1.0}.get(tool, 0.0)
        speed = speed_of(tool)
        for _ in range(100):
            if self.x >= self.wall_x and abs(self.y) < 4.0:
                break
            self.x += speed * seconds / 100 * math.cos(self.yaw)
            self.y += speed * seconds / 100 * math.sin(self.yaw)
            self.yaw = math.remainder(
                self.yaw + bend * speed / TURN_RADIUS * seconds / 100, 2 * math.pi
            )
        return ToolResult(True)

    def _navigate(self, x: float, y: float) -> ToolResult:
        if self.mast and self.mast_open:
            return ToolResult(False, 'Need to close mast')
        self.x, self.y = x, y
        return ToolResult(True, data={'distance': 0.125})

    def _capture(self) -> ToolResult:
        if self.mast and not self.mast_open:
            return ToolResult(False, 'Mast is closed')
        return ToolResult(
            True,
            data={
                'score': round(self.score, 6),
                'is_good': self.score >= self.threshold,
                'image_topic': '/capture/image_raw/compressed',
                'stamp': 12.5,
                'stats': {
                    **(self._pose() if self.places else {}),
                    'mean_luminance': 92.4,
                    'ground': {
                        'mean_luminance': 120.5,
                        'contrast': 31.0,
                        'texture': 'coarse',
                        'dominant_colour': 'rust red',
                    },
                },
            },
        )

    def _status(self) -> dict[str, Any]:
        return {
            'mast_is_open': self.mast_open if self.mast else None,
            'move_allowed': not (self.mast and self.mast_open),
            'moving': False,
            'battery_pct': 87.0,
            'last_error_reason': None,
            **(self._pose() if self.poses else dict.fromkeys(('rover_x', 'rover_y', 'rover_yaw'))),
            'variant': 'B' if self.mast else 'A',
        }

    def _pose(self) -> dict[str, Any]:
        return {'rover_x': self.x, 'rover_y': self.y, 'rover_yaw': self.yaw}


class ScriptedChatModel(BaseChatModel):
    """Says what it was given, in order; exceptions are raised, callables are called first."""

    replies: list[Any]
    seen: list[list[BaseMessage]] = Field(default_factory=list)  # messages of every call
    offered: list[list[str]] = Field(default_factory=list)  # names of the tools bound in each

    @property
    def _llm_type(self) -> str:
        return 'scripted'

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self.bind(names=[tool.name for tool in tools], **kwargs)

    def _generate(
        self, messages: list[BaseMessage], *_stop_and_callbacks: Any, **kwargs: Any
    ) -> ChatResult:
        self.seen.append(messages)
        self.offered.append(kwargs['names'])
        reply = self.replies[min(len(self.seen), len(self.replies)) - 1]
        reply = reply() if callable(reply) else reply
        if isinstance(reply, Exception):
            raise reply
        return ChatResult(generations=[ChatGeneration(message=reply)])


def say(text: str = '', *calls: tuple[str, dict[str, Any]], ids: Iterable[str] = ()) -> AIMessage:
    """A message of a model with tool calls; their ids are random unless given."""
    given = [*ids, *(uuid.uuid4().hex for _ in calls)]
    return AIMessage(
        text,
        tool_calls=[
            {'name': name, 'args': args, 'id': given[number]}
            for number, (name, args) in enumerate(calls)
        ],
    )


def next_output(planner: Any) -> Any:
    """Polls until there is an output."""
    return wait_until(planner.poll, 'an output of the planner')


def pursue(planner: Any, goal: str, world: LightWorld, toolset: tuple[ToolOffer, ...]) -> str:
    """Runs a goal in a world to its end and returns the last words."""
    planner.start(goal, PlannerContext(toolset))
    while True:
        output = next_output(planner)
        if not isinstance(output, Proposal):
            return output.text if isinstance(output, Answer) else f'FAILED {output.reason}'
        planner.give(world.apply(output.tool, dict(output.arguments)))


def think_through(goal: str, world: LightWorld, toolset: tuple[ToolOffer, ...]) -> str:
    """The same with the offline model's decisions alone: no ROSA, no thread.

    The last words; those of a goal that is given up or declined begin with 'NOT REACHED: '.
    """
    tools = tools_of(toolset)
    steps: tuple[PastStep, ...] = ()
    for _ in range(150):
        decision = decide(Transcript(goal, steps), tools, NO_TOOL)
        if isinstance(decision, FinalAnswer):
            return decision.text
        if not isinstance(decision, Act):
            return f'NOT REACHED: {decision.reason}'
        jsonschema.validate(decision.arguments, tools[decision.tool].schema)
        result = world.apply(decision.tool, dict(decision.arguments))
        step = PastStep(
            decision.tool, decision.arguments, result.ok, result.error_reason, result.data
        )
        steps = (*steps, step)
    raise AssertionError(f'No end in sight: {world.tools}')


TOOLSETS = {'A': VARIANT_A, 'B': VARIANT_B}
CONTEXT = PlannerContext(TOOLSETS['B'])


def model_that_says(*replies: Any) -> ScriptedChatModel:
    return ScriptedChatModel(replies=list(replies))
