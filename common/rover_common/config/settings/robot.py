"""robot.yaml: what the robot has, what is known of it, and its tools on which conditions."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, StringConstraints, model_validator

from rover_common.config.settings.composites import with_composites
from rover_common.config.settings.gates import (
    Gates,
    VelocityGateSettings,
    field_that_shows_motion,
    with_gates,
)
from rover_common.config.settings.prompts import DoneWhen
from rover_common.config.settings.section import Section
from rover_common.config.settings.skills import ExampleFile, Skill, ToolName
from rover_common.config.settings.state_and_guards import (
    ConditionName,
    PartCondition,
    PartName,
    PartType,
    StateEntry,
    TopicField,
    Where,
)

RobotName = Annotated[str, StringConstraints(pattern=r'^[A-Za-z][A-Za-z0-9_-]*$', max_length=64)]


def _fields_alone(raw: Any) -> Any:
    """A mapping with fields of the state alone means `where`."""
    if isinstance(raw, dict) and not raw.keys() & DoneWhen.model_fields.keys():
        return {'where': raw}
    return raw


class Charge(Section):
    """`charge` of robot.yaml: how the robot gets to its charger when the battery is low.

    Attributes:
        by: The tool that drives there: the only one that may run in the mode CHARGE.
        args: Of its call.
    """

    by: ToolName
    args: dict[str, Any] = Field(default_factory=dict)


class Robot(Section):
    """robot.yaml, apart from the sections that may also stand in files of their own.

    Attributes:
        name: Of the robot, for people; `robot` in the file.
        resources: Each is used by one tool at a time; those that tools name, if left out.
        moving_resources: Those of them that move when a tool holds them; all, if left out.
        state: The robot's state: fields of the adapter's status, with types or allowed texts,
            and fields of topics.
        safe_when: Field of `state` → the values that cause SAFE, each by itself.
        guards: Conditions on the state, beside those that are built in.
        gates: What may move only while the executive permits it.
        done_when: What must be measured for a goal as text to be reached that names no condition.
        charge: How it gets to its charger; None: it rests in place.
        no_tool: Requests that no tool covers: the offline model declines them.
        example_files: With further examples of the tools; the loader finds them.
    """

    name: RobotName = 'robot'
    resources: Annotated[tuple[str, ...], Field(strict=False)]
    moving_resources: Annotated[tuple[str, ...], Field(strict=False)]
    state: dict[PartName, StateEntry] = Field(default_factory=dict)
    safe_when: Where = Field(default_factory=dict)
    guards: dict[ConditionName, PartCondition] = Field(default_factory=dict)
    gates: Gates = Field(default_factory=dict)
    charge: Charge | None = None
    no_tool: Annotated[tuple[str, ...], Field(strict=False)] = ()
    example_files: Annotated[tuple[ExampleFile, ...], Field(strict=False)] = ()
    done_when: Annotated[DoneWhen, BeforeValidator(_fields_alone)] | None = None
    tools: dict[ToolName, Skill]

    @cached_property
    def types(self) -> dict[str, PartType]:
        """Field of `state` → its type or allowed texts."""
        return {
            name: each.kind if isinstance(each, TopicField) else each
            for name, each in self.state.items()
        }

    @cached_property
    def from_topics(self) -> dict[str, TopicField]:
        """The fields of `state` that come from topics."""
        return {name: each for name, each in self.state.items() if isinstance(each, TopicField)}

    @cached_property
    def from_adapter(self) -> dict[str, PartType]:
        """The fields of `state` that the adapter's status has."""
        return {name: each for name, each in self.types.items() if name not in self.from_topics}

    @cached_property
    def measured_topics(self) -> tuple[str, ...]:
        """The topics of its state and of its gates, each once, as names of ROS."""
        found = [each.topic for each in self.from_topics.values()]
        for name, gate in self.gates.items():
            if isinstance(gate, VelocityGateSettings):
                found += [gate.velocity.wanted, gate.velocity.passed, gate.odom_topic]
            elif moving := self.moving_field(name):
                found.append(moving.topic)
        return tuple(dict.fromkeys(found))

    def made_of(self, name: str) -> tuple[Skill, ...]:
        """The tool of this name, and the tools of its steps or those that it is made of."""
        skill = self.tools[name]
        steps = (self.tools[step] for step in skill.steps.values() if step in self.tools)
        calls = skill.plan.calls() if skill.plan else ()
        members = (self.made_of(call.tool) for call in calls if call.tool in self.tools)
        return skill, *steps, *(each for member in members for each in member)

    @cached_property
    def charging(self) -> frozenset[str]:
        """The tool that drives to the charger, and those that it is made of."""
        found, wanted = set[str](), [self.charge.by] if self.charge else []
        while wanted:
            name = wanted.pop()
            plan = self.tools[name].plan if name in self.tools and name not in found else None
            found.add(name)
            wanted.extend(call.tool for call in (plan.calls() if plan else ()))
        return frozenset(found)

    @model_validator(mode='before')
    @classmethod
    def _with_resources(cls, raw: Any) -> Any:
        if not isinstance(raw, dict):
            return raw
        raw = with_composites(with_gates(raw))
        resources = raw.get('resources', _resources_of(raw.get('tools')))
        return {'resources': resources, 'moving_resources': resources} | raw

    @model_validator(mode='after')
    def _commands_differ(self) -> Robot:
        tools: dict[str, str] = {}
        for name, skill in self.tools.items():
            command = skill.command.word if skill.command else ''
            other = tools.setdefault(command, name)
            if command and other != name:
                raise ValueError(f'{other} and {name} have the same command {command!r}')
        return self

    @model_validator(mode='after')
    def _check_moving_fields(self) -> Robot:
        for name in self.gates:
            self.moving_field(name)
        return self

    def moving_field(self, gate: str) -> TopicField | None:
        """Return what shows that something moves at a gate of an action; None: its goals alone.

        Raises:
            ValueError: It names no entry of `state` that a topic has.
        """
        return field_that_shows_motion(gate, self.gates[gate], self.from_topics)


def _resources_of(tools: Any) -> list[str]:
    """The resources that tools require, each once."""
    found: dict[str, None] = {}
    for tool in tools.values() if isinstance(tools, dict) else ():
        named = tool.get('resources_required') if isinstance(tool, dict) else None
        if isinstance(named, (list, tuple)):
            found |= {each: None for each in named if isinstance(each, str)}
    return list(found)
