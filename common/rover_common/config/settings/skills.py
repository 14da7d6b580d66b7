"""skills.yaml: the registry of tools."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from rover_common.config.settings.gates import GateName, Gates
from rover_common.config.settings.parts import (
    ConditionName,
    PartCondition,
    PartName,
    PartType,
    Sentence,
    Wanted,
)
from rover_common.config.settings.section import Metres, Positive, Seconds, Section, Variant
from rover_common.config.settings.topics import Endpoint

ErrorCode = Annotated[str, Field(pattern=r'^[A-Z][A-Z0-9_]*$')]
FieldPath = Annotated[str, Field(pattern=r'^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$')]


class ResultFields(Section):
    """How a response is read: dotted paths of its fields. Empty: the response has no such field.

    A value of `code` is an error, unless it is empty or zero. Without `codes` the value itself is
    the error code; with them a number is, and one that they do not list is `FAILED`.
    `units`: of the fields of answer and feedback, for people.
    """

    ok: FieldPath | Literal[''] = ''
    reason: FieldPath | Literal[''] = ''
    code: FieldPath | Literal[''] = ''
    # value on the wire → error code, such as 2: NAV_BLOCKED; '': this number means success
    codes: dict[int, ErrorCode | Literal['']] = Field(default_factory=dict)
    # field with JSON text → key of the result's data, '' merges
    json_fields: dict[str, str] = Field(default_factory=dict)
    units: dict[str, str] = Field(default_factory=dict)


class TimedMotion(Section):
    """A latched motion that is always stopped: by `stop`, after a time, on every way out."""

    stop: str  # endpoint in topics.yaml
    duration_arg: str = ''  # argument with the seconds; else move.nudge_duration_sec
    speed_m_s: Annotated[float, Field(ge=0.0)] = 0.0
    radius_m: Metres = 0.0  # of the turning circle: left positive, right negative, 0 straight
    by_hand: str = ''  # what an operator calls it who drives by hand; empty: it is not driven so


class Destination(Section):
    """Which arguments say where in the world frame the tool drives to.

    `left`: the field of the action's feedback with the m that are still to drive, if it has one.
    `detour`: why a path may be much longer than the straight line, as the end of a sentence.
    `within_m`: so near to the place the robot must be measured for the drive to count.
    """

    x: str
    y: str
    left: str = ''
    detour: str = ''
    within_m: Positive = 1.0


def _key_or_mapping(raw: Any) -> str:
    return 'inline' if isinstance(raw, (dict, Endpoint)) else 'key'


SkillEndpoint = Annotated[
    Annotated[str, Tag('key')] | Annotated[Endpoint, Tag('inline')],
    Discriminator(_key_or_mapping),
]


class SkillCommand(Section):
    """A console command that runs the tool without arguments, beside `:tool`."""

    word: Annotated[str, Field(pattern=r'^[a-z][a-z0-9_]*$')]
    does: Sentence


class SkillExample(Section):
    """A way to ask for a tool, in any language, from which the offline model understands others.

    Attributes:
        say: The sentence; braces stand around what becomes the tool's text argument.
        args: Arguments that the sentence means.
        tells: Fields of the tool's result, or words of their names, that it asks for.
        seek: Whether the tool's result must be good, wherever on the way that is.
    """

    say: Annotated[str, Field(min_length=1, max_length=200)]
    args: dict[str, Any] = Field(default_factory=dict)
    tells: Annotated[tuple[str, ...], Field(strict=False)] = ()
    seek: bool = False

    @model_validator(mode='before')
    @classmethod
    def _of_text(cls, raw: Any) -> Any:
        return {'say': raw} if isinstance(raw, str) else raw


class Skill(Section):
    """One tool: its interface, what it needs, and how its failures are read (spec 3 SkillDef)."""

    description: str
    # how it is asked for; the offline model knows it by these
    examples: Annotated[tuple[SkillExample, ...], Field(strict=False)] = ()
    interface_type: Literal['ros2_service', 'ros2_action', 'internal']
    endpoint: SkillEndpoint = ''  # dotted key in topics.yaml, or name and type
    args_schema: dict[str, Any]
    # argument → field of the request; else of the same name
    fields: dict[str, FieldPath] = Field(default_factory=dict)
    gate: GateName | Literal[''] = ''  # what it moves by; its permit is of that gate
    resources_required: Annotated[tuple[str, ...], Field(strict=False)]
    preconditions: Annotated[tuple[str, ...], Field(strict=False)]
    # parts of nodes, as on /diagnostics, that must be well before a goal with this tool begins
    ready_when: Annotated[tuple[str, ...], Field(strict=False)] = ()
    preemptible: bool
    cancel_supported: bool
    timeout_s: Seconds
    idempotent: bool
    autonomy: Literal['auto', 'approve']
    error_map: dict[ErrorCode, Literal['RETRY', 'REPLAN', 'ASK_HUMAN', 'ABORT']]
    variants: Annotated[tuple[Variant, ...], Field(strict=False)] = ('A', 'B')
    result: ResultFields = ResultFields()
    motion: TimedMotion | None = None
    destination: Destination | None = None
    # field of `parts` → what it is once the tool has done its work; asked after a restart
    postcondition: dict[PartName, Wanted] = Field(default_factory=dict)
    reads_only: bool = False  # changes nothing: agents may call it while another holds the robot
    offered: bool = True  # to the planner; else only the operator and other tools use it
    acts: bool = True  # else it only asks: it does not count as a tool call of the goal
    steps: dict[str, str] = Field(default_factory=dict)  # of a tool in steps: step → tool
    command: SkillCommand | None = None
    risk: str = ''  # told with a request for approval; else what its resources say


class Skills(Section):
    """skills.yaml: the robot's resources and parts, conditions on the parts, and the tools.

    Attributes:
        resources: Each is used by one tool at a time.
        moving_resources: Those of them that move when a tool holds them; all if left out.
        parts: Fields of the adapter's status, with their types or words.
        preconditions: Conditions on parts, beside those that are built in.
        gates: What may move only while the executive permits it.
        no_tool: What people ask this robot for and no tool covers: the offline model declines it.
    """

    resources: Annotated[tuple[str, ...], Field(strict=False)]
    moving_resources: Annotated[tuple[str, ...], Field(strict=False)]
    parts: dict[PartName, PartType]
    preconditions: dict[ConditionName, PartCondition]
    gates: Gates = Field(default_factory=dict)
    no_tool: Annotated[tuple[str, ...], Field(strict=False)] = ()
    skills: dict[Annotated[str, Field(pattern=r'^[a-z][a-z0-9_]*$')], Skill]

    def made_of(self, name: str) -> tuple[Skill, ...]:
        """The skill of this name and, if it is carried out in steps, the skills of its steps."""
        skill = self.skills[name]
        steps = (self.skills[step] for step in skill.steps.values() if step in self.skills)
        return skill, *steps

    @model_validator(mode='after')
    def _commands_differ(self) -> Skills:
        tools: dict[str, str] = {}
        for name, skill in self.skills.items():
            word = skill.command.word if skill.command else ''
            other = tools.setdefault(word, name)
            if word and other != name:
                raise ValueError(f'{other} and {name} have the same command {word!r}')
        return self

    @model_validator(mode='after')
    def _gates_are_known(self) -> Skills:
        for name, skill in self.skills.items():
            if skill.gate and skill.gate not in self.gates:
                known = ', '.join(self.gates) or 'none'
                raise ValueError(
                    f'{name} has the gate {skill.gate!r}, which is not among gates: {known}'
                )
        return self
