"""One tool of a robot's file: what it calls, its arguments, its conditions, its examples."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, ConfigDict, Field, Tag, model_validator

from rover_common.config.settings.composites import Plan
from rover_common.config.settings.section import (
    Metres,
    Positive,
    Seconds,
    Section,
    Variant,
    by_mapping,
)
from rover_common.config.settings.state_and_guards import PartName, PluginName, Sentence, Wanted
from rover_common.config.settings.topics import Endpoint
from rover_common.interface_field_checks import FIELD_PATH

ErrorCode = Annotated[str, Field(pattern=r'^[A-Z][A-Z0-9_]*$')]
FieldPath = Annotated[str, Field(pattern=f'^{FIELD_PATH}$', max_length=200)]
FieldPathOrNothing = Annotated[str, Field(pattern=f'^({FIELD_PATH})?$', max_length=200)]
ToolName = Annotated[str, Field(pattern=r'^[a-z][a-z0-9_]*$', max_length=64)]
InterfaceType = Literal[
    'ros2_service', 'ros2_action', 'ros2_topic', 'internal'
]  # spec 3, and topics


Number = Annotated[int, Field(strict=False)]  # a run's configuration is kept as JSON has it


class ResultFields(Section):
    """How a response is read: dotted paths of its fields. Empty: the response has no such field.

    A value of `code` is an error, unless it is empty or zero. Without `codes` the value itself is
    the error code; with them a number is, and one that they do not list is `FAILED`: also zero, if
    another number means success.
    `units`: of the fields of answer and feedback, for people.
    """

    ok: FieldPathOrNothing = ''
    reason: FieldPathOrNothing = ''
    code: FieldPathOrNothing = ''
    # value on the wire → error code, such as 2: NAV_BLOCKED; '': this number means success
    codes: dict[Number, ErrorCode | Literal['']] = Field(default_factory=dict)
    # field with JSON text → key of the result's data, '' merges
    json_fields: dict[str, str] = Field(default_factory=dict)
    units: dict[str, Annotated[str, Field(max_length=20)]] = Field(default_factory=dict)


class TimedMotion(Section):
    """A latched motion that is always stopped: by `stop`, after a time, on every way out."""

    stop: str  # endpoint in topics.yaml
    duration_arg: str = ''  # argument with the seconds; else move.nudge_duration_sec
    speed_m_s: Annotated[float, Field(ge=0.0)] = 0.0
    radius_m: Metres = 0.0  # of the turning circle: left positive, right negative, 0 straight


class Destination(Section):
    """The arguments with the place in the world frame to which the tool drives.

    `left`: the field of the action's feedback with the m that are still to drive, if it has one.
    `detour`: why a path may be much longer than the straight line, as the end of a sentence.
    `within_m`: so near to the place the robot must be measured for the drive to count.
    """

    x: str
    y: str
    left: str = ''
    detour: str = ''
    within_m: Positive = 1.0


SkillEndpoint = Annotated[
    Annotated[str, Tag('key')] | Annotated[Endpoint, Tag('inline')],
    by_mapping(Endpoint, 'inline', 'key'),
]


CommandName = Annotated[str, Field(pattern=r'^[a-z][a-z0-9_]*$', max_length=40)]


class SkillCommand(Section):
    """A console command that runs the tool without arguments, beside `:tool`."""

    word: CommandName
    does: Sentence


class SkillExample(Section):
    """An example request for a tool, in any language, from which the offline model generalizes.

    Attributes:
        say: The sentence; braces enclose what becomes the tool's text argument.
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


def _constant(raw: Any) -> Any:
    values = raw if isinstance(raw, list) else [raw]
    if not all(isinstance(each, (bool, int, float, str)) for each in values):
        raise ValueError(
            'write a number, a text, true or false, or a list of them, and dots for a field of a '
            'field, such as action.type'
        )
    return tuple(raw) if isinstance(raw, list) else raw


Scalar: TypeAlias = bool | int | float | str
Constant = Annotated[Scalar | tuple[Scalar, ...], BeforeValidator(_constant)]


class Argument(Section):
    """One argument of a tool: a JSON Schema, and the field of the request for its value.

    A field path alone means `{ field: path }`. An argument is required unless it has a
    `default` or is `optional`.
    """

    model_config = ConfigDict(extra='allow')

    field: FieldPathOrNothing = ''  # of the request or goal; empty: of the argument's name
    optional: bool = False

    @property
    def json_schema(self) -> dict[str, Any]:
        """Its JSON Schema."""
        return dict(self.model_extra or {})

    @property
    def required(self) -> bool:
        """Whether a call must give it."""
        return not self.optional and 'default' not in (self.model_extra or {})


def _argument(raw: Any) -> Any:
    return {'field': raw} if isinstance(raw, str) else raw


class Skill(Section):
    """One tool: its interface, what it needs, and how its failures are read (spec 3 SkillDef).

    At most one of `service`, `action` and `topic` is given, as a dotted key of `topics` or whole;
    a tool with none of them is one of the executive's own, or a plug-in's `behaviour`. One with a
    `topic` publishes a message.
    """

    model_config = ConfigDict(populate_by_name=True)

    description: Annotated[str, Field(max_length=2000)] = ''
    # example requests; the offline model recognizes the tool by these
    examples: Annotated[tuple[SkillExample, ...], Field(strict=False, max_length=400)] = ()
    service: SkillEndpoint | None = None
    action: SkillEndpoint | None = None
    topic: SkillEndpoint | None = None
    args: dict[str, Annotated[Argument, BeforeValidator(_argument)]] = Field(default_factory=dict)
    # field of what is sent → its value in every call; `set` in the file
    constants: dict[FieldPath, Constant] = Field(default_factory=dict, alias='set')
    gate: Annotated[str, Field(max_length=40)] = ''  # what it moves by; its permit is of that gate
    resources_required: Annotated[tuple[str, ...], Field(strict=False)] = ()
    guards: Annotated[tuple[str, ...], Field(strict=False)] = ()
    # parts of nodes, as on /diagnostics, that must be well before a goal with this tool begins
    ready_when: Annotated[tuple[str, ...], Field(strict=False)] = ()
    preemptible: bool = True
    cancel: bool | None = None  # whether it can be cancelled; null: actions can
    timeout_s: Seconds = 60.0
    idempotent: bool = False
    approve: bool = False  # a human agrees before each call
    error_map: dict[ErrorCode, Literal['RETRY', 'REPLAN', 'ASK_HUMAN', 'ABORT']] = Field(
        default_factory=dict
    )
    variants: Annotated[tuple[Variant, ...], Field(strict=False)] = ('A', 'B')
    result: ResultFields = ResultFields()
    motion: TimedMotion | None = None
    destination: Destination | None = None
    # field of `state` → its value after the tool has succeeded; checked after a restart
    postcondition: dict[PartName, Wanted] = Field(default_factory=dict)
    reads_only: bool = False  # changes nothing: agents may call it while another holds the robot
    offered: bool = True  # to the planner; else only the operator and other tools use it
    acts: bool = True  # else it only reads: it does not count as a tool call of the goal
    steps: dict[str, str] = Field(default_factory=dict)  # of a tool in steps: step → tool
    plan: Plan | None = None  # of a composite: what it is made of
    behaviour: PluginName | Literal[''] = ''  # the installed plug-in that carries it out
    options: dict[str, Any] = Field(default_factory=dict)  # what the plug-in is given
    command: SkillCommand | None = None
    # name of a motion for driving by hand → the arguments of that call
    by_hand: dict[CommandName, dict[str, Any]] = Field(default_factory=dict)
    # shown with a request for approval; default: from its resources
    risk: Annotated[str, Field(max_length=500)] = ''

    @property
    def interface_type(self) -> InterfaceType:
        """What its server is, as spec 3 names it."""
        if self.action is not None:
            return 'ros2_action'
        if self.topic is not None:
            return 'ros2_topic'
        return 'internal' if self.service is None else 'ros2_service'

    @property
    def endpoint(self) -> str | Endpoint:
        """Its server, whole or as a dotted key of `topics`; empty: it has none."""
        return self.service or self.action or self.topic or ''

    @property
    def cancel_supported(self) -> bool:
        """Whether its server can cancel a call."""
        return self.action is not None if self.cancel is None else self.cancel

    @property
    def drives(self) -> bool:
        """Whether it may move the base: it has a motion, a destination or the base."""
        return bool(self.motion or self.destination or 'base' in self.resources_required)

    @property
    def args_schema(self) -> dict[str, Any]:
        """Its arguments as one JSON Schema of type object."""
        properties = {name: each.json_schema for name, each in self.args.items()}
        required = [name for name, each in self.args.items() if each.required]
        schema: dict[str, Any] = {'type': 'object', 'properties': properties}
        if required:
            schema['required'] = required
        return schema | {'additionalProperties': False}

    @model_validator(mode='after')
    def _one_server(self) -> Skill:
        kinds = {'a service': self.service, 'an action': self.action, 'a topic': self.topic}
        given = [kind for kind, endpoint in kinds.items() if endpoint is not None]
        if len(given) > 1:
            raise ValueError(f'it has {" and ".join(given)}: give one of them')
        moves = self.gate or self.drives
        if self.behaviour and (given or self.steps or self.plan or moves):
            raise ValueError(
                'it has a behaviour, which moves nothing by itself: leave out service, action, '
                'topic, gate, motion, destination, steps, members and the resource base'
            )
        if self.options and not self.behaviour:
            raise ValueError('it has options and no behaviour')
        if self.constants and not given:
            raise ValueError('it has `set` and sends nothing: name a service, action or topic')
        return self


MOST_EXAMPLES = 1000  # of a tool: this bounds the time to understand a goal


class ExampleFile(Section):
    """A file with examples, and whether it is beside the robot's own robot.yaml.

    One that does not is that of a robot which this one extends.
    """

    path: str
    is_own: bool


class FurtherExamples(Section):
    """The content of such a file.

    Attributes:
        no_tool: Requests that no tool covers.
        tools: Tool → its examples.
    """

    no_tool: Annotated[tuple[str, ...], Field(strict=False)] = ()
    tools: dict[
        ToolName,
        Annotated[tuple[SkillExample, ...], Field(strict=False, max_length=MOST_EXAMPLES)],
    ] = Field(default_factory=dict)
