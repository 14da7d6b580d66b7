"""The configuration as one frozen typed tree: a class per YAML section, a field per key.

Keys of the requirement documents (topics, thresholds, tool_costs, prompts) keep their names and
stay loadable without ours, hence the defaults of the keys that we added to those files. The
files that are ours alone have no defaults here: their values stand in `config/` and nowhere else.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from bt_executive.section import Fraction as Fraction
from bt_executive.section import Metres as Metres
from bt_executive.section import Radians as Radians
from bt_executive.section import Seconds as Seconds
from bt_executive.section import Section as Section
from bt_executive.world_settings import Fault
from bt_executive.world_settings import KeepOutZone as KeepOutZone
from bt_executive.world_settings import WorldSettings as WorldSettings

RosName = Annotated[str, Field(pattern=r'^/?[A-Za-z_~][A-Za-z0-9_/]*$')]
RosType = Annotated[str, Field(pattern=r'^[a-z][a-z0-9_]*/(srv|msg|action)/[A-Z][A-Za-z0-9]*$')]


KINDS = {'srv': 'service', 'msg': 'topic', 'action': 'action'}


class Endpoint(Section):
    """One service, topic or action on the wire. `kind` may be left out: the type tells it."""

    kind: Literal['service', 'topic', 'action']
    name: RosName
    type: RosType

    @model_validator(mode='before')
    @classmethod
    def _kind_of_type(cls, raw: Any) -> Any:
        if not isinstance(raw, dict) or 'kind' in raw:
            return raw
        parts = str(raw.get('type', '')).split('/')
        return raw | {'kind': KINDS[parts[1]]} if len(parts) == 3 and parts[1] in KINDS else raw

    @model_validator(mode='after')
    def _kind_fits(self) -> Endpoint:
        kind = KINDS[self.type.split('/')[1]]
        if self.kind != kind:
            raise ValueError(f'{self.type} is the type of a {kind}, not of a {self.kind}')
        return self


def _service(name: str, type_: str = 'std_srvs/srv/Trigger') -> Endpoint:
    return Endpoint(kind='service', name=name, type=type_)


# --- topics.yaml -----------------------------------------------------------------------------


class ImageTopics(Section):
    """Where pictures come from and where the scored ones go."""

    input_compressed: RosName
    output_capture_compressed: RosName
    output_capture_raw: RosName = '/capture/image_raw'


class TraceTopics(Section):
    """Where trace events go (std_msgs/msg/String, JSON)."""

    events: RosName


class TfFrames(Section):
    """Frames between which the rover's pose is looked up, without leading slash."""

    base_frame: str
    world_frame: str


class Services(Section):
    """Services of this project that are not the adapter's."""

    capture_and_score: Endpoint


class RoverServices(Section):
    """The seven motion and mast services, the same in the adapter and in the Curiosity demo."""

    move_forward: Endpoint
    turn_left: Endpoint
    turn_right: Endpoint
    move_stop: Endpoint
    mast_open: Endpoint
    mast_close: Endpoint
    mast_rotate: Endpoint


class AdapterEndpoints(RoverServices):
    """What the adapter offers to the executive."""

    get_status: Endpoint
    status: Endpoint = Endpoint(kind='topic', name='/adapter/status', type='std_msgs/msg/String')
    manual_mode: Endpoint = _service('/adapter/manual_mode', 'std_srvs/srv/SetBool')
    navigate_to_pose: Endpoint = Endpoint(
        kind='action',
        name='/adapter/navigate_to_pose',
        type='bt_executive_interfaces/action/NavigateToPose',
    )


class VizTopics(Section):
    """Where markers for RViz go."""

    marker_array: RosName


class RoverTopics(Section):
    """The border of Gazebo with its wheel and mast controllers."""

    cmd_vel: RosName = '/cmd_vel'
    mast_trajectory: RosName = '/mast_joint_trajectory_controller/joint_trajectory'
    odometry: RosName = '/model/curiosity_mars_rover/odometry'
    joint_states: RosName = '/joint_states'
    image_raw: RosName = '/image_raw'
    scan: RosName = '/scan'
    battery_state: RosName = '/battery_state'


class SafetyTopics(Section):
    """Where anybody may report a safety event (std_msgs/msg/String: the reason).

    And where anybody may tell keep-out zones: std_msgs/msg/String, a JSON list like `keep_out` in
    executive.yaml, with QoS transient local; the latest message holds.
    """

    events: RosName = '/safety_events'
    keep_out: RosName = '/keep_out_zones'


class Topics(Section):
    """topics.yaml."""

    images: ImageTopics
    trace: TraceTopics
    tf: TfFrames
    services: Services
    adapter: AdapterEndpoints
    curiosity: RoverServices
    viz: VizTopics
    rover: RoverTopics = RoverTopics()
    safety: SafetyTopics = SafetyTopics()


# --- thresholds.yaml -------------------------------------------------------------------------


class LightModel(Section):
    """score = clamp((x - x_min) / (x_good - x_min), 0, 1); spec 1 section 5.2."""

    x_min: Metres
    x_good: Metres

    @model_validator(mode='after')
    def _ordered(self) -> LightModel:
        if self.x_good <= self.x_min:
            raise ValueError(f'x_good ({self.x_good}) must be greater than x_min ({self.x_min})')
        return self


class Quality(Section):
    """When a picture is good."""

    score_threshold: Fraction


class Move(Section):
    """The bounded forward motion move_nudge."""

    nudge_duration_sec: Seconds = 5.0


class TraceBuffer(Section):
    """How many latest events the visualizer and the planner's memory keep."""

    buffer_size: Annotated[int, Field(ge=1, le=10_000)]


class BrightZone(Section):
    """The zone that RViz shows as bright."""

    bright_zone_x_min: Metres
    bright_zone_x_max: Metres


class Thresholds(Section):
    """thresholds.yaml."""

    light_model: LightModel
    quality: Quality
    trace: TraceBuffer
    viz: BrightZone
    move: Move = Move()


# --- tool_costs.yaml, prompts.yaml -----------------------------------------------------------


class ToolCosts(Section):
    """tool_costs.yaml: rough cost of one call, without a unit."""

    tools: dict[str, Annotated[float, Field(ge=0.0, allow_inf_nan=False)]]


class RobotPrompts(Section):
    """The categories of rosa.RobotSystemPrompts, under the names of spec 1."""

    embodiment_and_persona: str = ''
    critical_instructions: str = ''
    relevant_context: str = ''
    nuance_and_assumptions: str = ''


class Bootstrap(Section):
    """Operating knowledge added to the system prompt."""

    enabled: bool
    text: str


class Memory(Section):
    """Whether the latest trace events are shown to the model, and how many."""

    enabled: bool
    max_events: Annotated[int, Field(ge=0, le=1000)]


DoneWhen = Literal['answer', 'good_picture']


class Template(Section):
    """A goal that is reached by its name. `done_when`: what must be true for `reached`."""

    label: str
    text: str
    done_when: DoneWhen = 'answer'


class Prompts(Section):
    """prompts.yaml."""

    robot_system_prompts: RobotPrompts
    bootstrap: Bootstrap
    memory: Memory
    templates: dict[str, Template]


# --- skills.yaml -----------------------------------------------------------------------------

Variant = Literal['A', 'B']


ErrorCode = Annotated[str, Field(pattern=r'^[A-Z][A-Z0-9_]*$')]
FieldPath = Annotated[str, Field(pattern=r'^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$')]


class ResultFields(Section):
    """How a response is read: dotted paths of its fields. Empty: the response has no such field.

    A value of `code` is an error, unless it is empty, zero or not in `codes`. Without `codes` the
    value itself is the error code.
    """

    ok: FieldPath | Literal[''] = ''
    reason: FieldPath | Literal[''] = ''
    code: FieldPath | Literal[''] = ''
    # value on the wire → error code, such as 2: NAV_BLOCKED
    codes: dict[int, ErrorCode] = Field(default_factory=dict)
    # field with JSON text → key of the result's data, '' merges
    json_fields: dict[str, str] = Field(default_factory=dict)


class TimedMotion(Section):
    """A latched motion that is always stopped: by `stop`, after a time, on every way out."""

    stop: str  # endpoint in topics.yaml
    duration_arg: str = ''  # argument with the seconds; else move.nudge_duration_sec
    speed_m_s: Annotated[float, Field(ge=0.0)] = 0.0
    radius_m: Metres = 0.0  # of the turning circle: left positive, right negative, 0 straight


def _key_or_mapping(raw: Any) -> str:
    return 'inline' if isinstance(raw, (dict, Endpoint)) else 'key'


SkillEndpoint = Annotated[
    Annotated[str, Tag('key')] | Annotated[Endpoint, Tag('inline')],
    Discriminator(_key_or_mapping),
]


class Skill(Section):
    """One tool: its interface, what it needs, and how its failures are read (spec 3 SkillDef)."""

    description: str
    interface_type: Literal['ros2_service', 'ros2_action', 'internal']
    endpoint: SkillEndpoint = ''  # dotted key in topics.yaml, or name and type
    args_schema: dict[str, Any]
    # argument → field of the request; else of the same name
    fields: dict[str, FieldPath] = Field(default_factory=dict)
    resources_required: Annotated[tuple[str, ...], Field(strict=False)]
    preconditions: Annotated[tuple[str, ...], Field(strict=False)]
    preemptible: bool
    cancel_supported: bool
    timeout_s: Seconds
    idempotent: bool
    autonomy: Literal['auto', 'approve']
    error_map: dict[ErrorCode, Literal['RETRY', 'REPLAN', 'ASK_HUMAN', 'ABORT']]
    variants: Annotated[tuple[Variant, ...], Field(strict=False)] = ('A', 'B')
    result: ResultFields = ResultFields()
    motion: TimedMotion | None = None
    risk: str = ''  # told with a request for approval; else what its resources say


class Skills(Section):
    """skills.yaml: the resources that only one tool at a time may use, and the tools."""

    resources: Annotated[tuple[str, ...], Field(strict=False)]
    skills: dict[Annotated[str, Field(pattern=r'^[a-z][a-z0-9_]*$')], Skill]


# --- executive.yaml --------------------------------------------------------------------------


class Tick(Section):
    """The rhythm of the tree."""

    period_s: Seconds
    heartbeat_s: Seconds


class Agent(Section):
    """The agent parameters of spec 2; the node `executive` declares them as agent_*."""

    streaming: bool
    verbose: bool
    rich_ui: bool
    max_iterations: Annotated[int, Field(ge=1, le=10_000)]


class RequestSettings(Section):
    """Bounds of one HTTP request to a model."""

    connect_s: Seconds
    silence_s: Seconds
    whole_s: Seconds
    max_bytes: Annotated[int, Field(ge=1000)]


class RetrySettings(Section):
    """How often and how patiently a model is asked again."""

    attempts: Annotated[int, Field(ge=1, le=20)]
    first_wait_s: Seconds
    longest_wait_s: Seconds


class CircuitSettings(Section):
    """After so many failures in a row the provider is left alone for a while."""

    failures: Annotated[int, Field(ge=1)]
    rest_s: Seconds


class Price(Section):
    """What a provider charges, in USD for a million tokens; 0: unknown."""

    input_usd: Annotated[float, Field(ge=0.0)]
    output_usd: Annotated[float, Field(ge=0.0)]


Provider = Literal['offline', 'openai', 'azure', 'anthropic', 'ollama', 'recorded']


class PlannerSettings(Section):
    """Which model stands behind the planner leaf, and its budgets. Keys come from elsewhere."""

    provider: Provider
    model: str
    base_url: str
    api_version: str
    temperature: Annotated[float, Field(ge=0.0, le=2.0)] | None
    timeout_s: Annotated[float, Field(ge=1.0, allow_inf_nan=False)]
    max_answer_tokens: Annotated[int, Field(ge=16)]
    max_goal_tokens: Annotated[int, Field(ge=1000)]
    max_history_chars: Annotated[int, Field(ge=2000)]
    request: RequestSettings
    retry: RetrySettings
    circuit: CircuitSettings
    price_per_million: Price
    record: str


class GoalSettings(Section):
    """Budgets of one goal; its number of tool calls is `agent.max_iterations`."""

    max_wall_s: Seconds
    max_distance_m: Annotated[float, Field(gt=0.0)]
    max_energy_pct: Annotated[float, Field(gt=0.0, le=100.0)]


class SessionSettings(Section):
    """How calls to services and actions are ended."""

    cancel_repeat_s: Seconds
    cancel_timeout_s: Seconds
    lost_after_s: Seconds


class SafetySettings(Section):
    """What makes the executive SAFE by itself. `required`: data that must not become stale."""

    max_tilt_rad: Annotated[float, Field(gt=0.0, le=1.6)]
    required: Annotated[tuple[Literal['battery', 'tf'], ...], Field(strict=False)]
    battery_max_age_s: Seconds


class BatteryLimits(Section):
    """Charge in percent at which CHARGE begins and ends."""

    low_pct: Annotated[float, Field(ge=0.0, le=100.0)]
    resume_pct: Annotated[float, Field(ge=0.0, le=100.0)]

    @model_validator(mode='after')
    def _hysteresis(self) -> BatteryLimits:
        if self.resume_pct <= self.low_pct:
            raise ValueError(f'resume_pct ({self.resume_pct}) must be above low_pct')
        return self


class DecisionSettings(Section):
    """When a round that leads nowhere ends in a question to the operator, or in giving up."""

    max_failures: Annotated[int, Field(ge=1)]
    max_same_refusal: Annotated[int, Field(ge=1)]


class ApprovalSettings(Section):
    """Which of the planner's calls wait for a human's yes, and how long a request stands."""

    mode: Literal['per_skill', 'always', 'never']
    expiry_s: Seconds


class GuardSettings(Section):
    """Ages after which a measurement no longer counts."""

    adapter_status_max_age_s: Seconds
    pose_max_age_s: Seconds
    server_wait_s: Seconds
    stop_endpoint: str
    fallback_stop_endpoint: str
    policy: dict[str, Literal['reject', 'resolve']]
    resolve_by: dict[str, str]
    keep_out_margin_m: Annotated[float, Field(ge=0.0)]


class ExecutiveSettings(Section):
    """executive.yaml."""

    variant: Variant
    use_sim_time: bool
    tick: Tick
    agent: Agent
    planner: PlannerSettings
    goal: GoalSettings
    guards: GuardSettings
    sessions: SessionSettings
    safety: SafetySettings
    battery: BatteryLimits
    decisions: DecisionSettings
    approval: ApprovalSettings
    keep_out: Annotated[tuple[KeepOutZone, ...], Field(strict=False)]


# --- curiosity.yaml --------------------------------------------------------------------------


class Mast(Section):
    """How the joints of the mast say open, closed and swept."""

    tilt_joint: str
    pan_joint: str
    open_tilt_rad: Radians
    closed_tilt_rad: Radians
    tolerance_rad: Annotated[float, Field(gt=0.0)]
    move_timeout_s: Seconds
    rotate_timeout_s: Seconds
    rotate_pan_rad: Radians
    settle_s: Seconds
    joint_states_max_age_s: Seconds


class Motion(Section):
    """Bounds of motions in the adapter."""

    longest_s: Seconds
    max_tilt_rad: Annotated[float, Field(gt=0.0, le=1.6)]
    battery_floor_pct: Annotated[float, Field(ge=0.0, le=100.0)]
    keep_out_margin_m: Annotated[float, Field(ge=0.0)]
    pose_max_age_s: Seconds
    unasked_speed_m_s: Annotated[float, Field(gt=0.0)]
    unasked_window_s: Seconds
    coasting_s: Seconds
    service_wait_s: Seconds
    stop_retry_s: Seconds
    status_period_s: Seconds


class Deadman(Section):
    """Silence of the executive after which the adapter stops the rover."""

    timeout_s: Seconds
    check_period_s: Seconds
    manual_mode: bool

    @model_validator(mode='after')
    def _in_time(self) -> Deadman:
        if self.timeout_s + self.check_period_s > 0.45:
            raise ValueError('timeout_s + check_period_s must stay below 0.45 s to stop in 0.5 s')
        return self


Positive = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]


class ScanSettings(Section):
    """Which echoes of the rangefinder are obstacles."""

    required: bool
    frame: str
    max_age_s: Seconds
    max_range_m: Positive
    lowest_m: Metres
    highest_m: Metres


class Navigation(Section):
    """How the adapter drives to a place."""

    forward_m_s: Positive
    turn_m_s: Positive
    turn_radius_m: Positive
    tolerance_m: Positive
    heading_tolerance_rad: Positive
    farthest_m: Positive
    clearance_m: Positive
    body_m: Positive
    stop_lead_s: Annotated[float, Field(ge=0.0)]
    deviation_m: Positive
    stuck_s: Seconds
    timeout_factor: Annotated[float, Field(ge=1.0)]
    timeout_slack_s: Seconds
    scan: ScanSettings

    @model_validator(mode='after')
    def _roomy(self) -> Navigation:
        if self.clearance_m < self.body_m:
            raise ValueError(f'clearance_m ({self.clearance_m}) must not be below body_m')
        return self


class Simulator(Section):
    """The environment simulator."""

    image_max_age_s: Seconds
    tf_max_age_s: Seconds
    darkest_gain: Fraction
    jpeg_quality: Annotated[int, Field(ge=1, le=100)]


class StartPose(Section):
    """Where the rover stands at start, in the odom frame; null: where the world says."""

    x: Metres | None = None
    y: Metres | None = None
    yaw_rad: Radians | None = None


class Camera(Section):
    """The mast camera."""

    width: Annotated[int, Field(ge=16, le=4096)]
    height: Annotated[int, Field(ge=16, le=4096)]
    horizontal_fov_rad: Annotated[float, Field(gt=0.1, lt=3.0)]
    rate_hz: Annotated[float, Field(gt=0.0, le=60.0)]


class Battery(Section):
    """Charge of the rover's battery as a fraction, and its change per second."""

    start: Fraction
    drive_per_s: Fraction
    mast_per_s: Fraction
    camera_per_s: Fraction
    rest_gain_per_s: Fraction


class Rover(Section):
    """The stand-in for Gazebo. Null: as its world says."""

    world: WorldSettings  # in the file: the name of a world in config/worlds/, or a path
    seed: Annotated[int, Field(ge=0)] | None = None
    speed_factor: Annotated[float, Field(gt=0.0, le=100.0)]
    start: StartPose = StartPose()
    rocks: Annotated[int, Field(ge=0, le=5000)] | None = None
    faults: Annotated[tuple[Fault, ...], Field(strict=False)] = ()
    camera: Camera
    battery: Battery


class CuriositySettings(Section):
    """curiosity.yaml: the adapter, the environment simulator and the rover stand-in."""

    mast: Mast
    motion: Motion
    deadman: Deadman
    navigation: Navigation
    simulator: Simulator
    rover: Rover


class Config(Section):
    """The whole configuration: one field per file of the configuration folder."""

    topics: Topics
    thresholds: Thresholds
    tool_costs: ToolCosts
    prompts: Prompts
    skills: Skills
    executive: ExecutiveSettings
    curiosity: CuriositySettings
