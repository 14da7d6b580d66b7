"""executive.yaml: tick, planner, budgets, guards, safety, approval."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from rover_common.config.settings.keep_out_zone import KeepOutZone
from rover_common.config.settings.model import ModelChoice, ModelSettings
from rover_common.config.settings.section import Positive, Seconds, Section, Variant
from rover_common.config.settings.state_and_guards import PluginName

# A shorter period gains nothing and uses up a core.
Period = Annotated[Seconds, Field(ge=0.001)]


class Tick(Section):
    """The rhythm of the tree."""

    period_s: Period
    heartbeat_s: Period


class Agent(Section):
    """The agent parameters of spec 2; the node `executive` declares them as agent_*."""

    streaming: bool
    verbose: bool
    rich_ui: bool
    max_iterations: Annotated[int, Field(ge=1, le=10_000)]


Provider = Literal['offline', 'openai', 'azure', 'anthropic', 'ollama', 'llamacpp', 'recorded']


class PlannerSettings(ModelSettings):
    """The model behind the planner leaf, and its budgets. Keys come from elsewhere."""

    extras: ClassVar[tuple[str, ...]] = ('rosa',)

    provider: Provider
    max_goal_tokens: Annotated[int, Field(ge=1000)]
    constrained: Literal['auto', 'always', 'never']
    max_history_chars: Annotated[int, Field(ge=2000)]
    record: str
    plugin: PluginName | Literal[''] = ''  # installed code in the place of the model
    options: dict[str, Any] = Field(default_factory=dict)  # what it is given


class GoalSettings(Section):
    """Budgets and bounds of one goal; its number of tool calls is `agent.max_iterations`."""

    max_wall_s: Seconds
    max_distance_m: Annotated[float, Field(gt=0.0)]
    max_energy_pct: Annotated[float, Field(gt=0.0, le=100.0)]
    max_chars: Annotated[int, Field(ge=100, le=20_000)]
    max_tool_chars: Annotated[int, Field(ge=20, le=1000)]
    max_arguments_chars: Annotated[int, Field(ge=100, le=1_000_000)]


class CallSettings(Section):
    """How calls to services and actions are ended."""

    cancel_repeat_s: Seconds
    cancel_timeout_s: Seconds
    lost_after_s: Seconds


class SafetySettings(Section):
    """When the executive becomes SAFE by itself. `required`: data that must not become stale."""

    max_tilt_rad: Annotated[float, Field(gt=0.0, le=1.6)]
    required: Annotated[tuple[Literal['battery', 'tf'], ...], Field(strict=False)]
    battery_max_age_s: Seconds


class BatteryLimits(Section):
    """Charge in percent at which CHARGE begins and ends, and how long it waits for a reading.

    `before_rest`: the tool that is run before the robot rests to charge; empty: none.
    """

    low_pct: Annotated[float, Field(ge=0.0, le=100.0)]
    resume_pct: Annotated[float, Field(ge=0.0, le=100.0)]
    lost_after_s: Seconds
    before_rest: str

    @model_validator(mode='after')
    def _hysteresis(self) -> BatteryLimits:
        if self.resume_pct <= self.low_pct:
            raise ValueError(f'resume_pct ({self.resume_pct}) must be above low_pct')
        return self


class DecisionSettings(Section):
    """When a round without progress ends in a question to the operator, or in giving up."""

    max_failures: Annotated[int, Field(ge=1)]
    max_same_refusal: Annotated[int, Field(ge=1)]


class ApprovalSettings(Section):
    """Which of the planner's calls need a human's approval, and how long a request is valid.

    `break_at` names tools, guards and outcomes (error codes, FAILED, SUCCESS).
    """

    mode: Literal['per_skill', 'always', 'never']
    expiry_s: Seconds
    step: bool
    break_at: Annotated[tuple[str, ...], Field(strict=False)]


class RecordingSettings(Section):
    """Bounds of what a run leaves behind; 1 MB is 1,000,000 bytes."""

    max_file_mb: Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
    max_pictures: Annotated[int, Field(ge=0)]
    max_pictures_mb: Annotated[float, Field(ge=0.0, allow_inf_nan=False)]
    max_mcap_mb: Annotated[float, Field(gt=0.0, allow_inf_nan=False)]


class JournalSettings(Section):
    """What outlives the executive: which file (empty: the robot's own), and for how long.

    `on_fault`: with a file that cannot be written, be SAFE, or go on with what is in memory.
    `patience_s`: how long an act that must be on disk before it is done waits for that.
    """

    file: str
    on_fault: Literal['safe', 'memory_only']
    keep_days: Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
    max_mb: Annotated[float, Field(ge=1.0, allow_inf_nan=False)]
    max_inputs_mb: Annotated[float, Field(ge=1.0, allow_inf_nan=False)]
    patience_s: Seconds


class MemorySettings(Section):
    """The spatial memory: where it is kept, when it answers, and how a place is looked at.

    `store`: a file or a URL of PostgreSQL; empty: beside the journal. `map_epoch`: number of the
    map that the world frame belongs to; null: one made of the simulated world's name and seed.
    `view_m` and `half_view_rad`: within them a thing that is there is surely seen. `looks`: so
    many looks without it mean that it is gone. `standoff_m`: the distance from the thing's edge at
    which the robot stops to look. `embedding`: what turns texts into vectors; provider offline or
    "": the sentence encoder. `model`: names areas and searches the forest.
    """

    store: str
    map_epoch: Annotated[int, Field(ge=0, lt=2**31)] | None
    max_age_s: Seconds
    view_m: Positive
    half_view_rad: Annotated[float, Field(gt=0.0, le=3.2)]
    looks: Annotated[int, Field(ge=1, le=100)]
    look_s: Seconds
    standoff_m: Positive
    near_m: Positive
    digest_chars: Annotated[int, Field(ge=100, le=5000)]
    embedding: ModelChoice
    model: ModelChoice


class GuardSettings(Section):
    """Ages after which a measurement no longer counts, and other limits of guards.

    `places`: when a human must have named the place of a planner's drive (docs/decisions/0045).
    `set_out_s`, `standstill_s`, `drive_least`, `drive_most`, `heading_tolerance_rad`: what a timed
    motion must have done to count as done (docs/decisions/0075).
    """

    adapter_status_max_age_s: Seconds
    adapter_status_moving_max_age_s: Seconds
    pose_max_age_s: Seconds
    server_wait_s: Seconds
    stop_endpoint: str
    fallback_stop_endpoint: str
    policy: dict[str, Literal['reject', 'resolve']]
    resolve_by: dict[str, str]
    keep_out_margin_m: Annotated[float, Field(ge=0.0)]
    places: Literal['never', 'after_recall', 'always'] = 'after_recall'
    set_out_s: Seconds = 2.0
    standstill_s: Seconds = 1.0
    drive_least: Annotated[float, Field(ge=0.0, le=1.0)] = 0.05
    drive_most: Annotated[float, Field(ge=1.0, allow_inf_nan=False)] = 1.5
    heading_tolerance_rad: Annotated[float, Field(gt=0.0, le=3.2)] = 0.1


class ExecutiveSettings(Section):
    """executive.yaml."""

    variant: Variant
    use_sim_time: bool
    tick: Tick
    agent: Agent
    planner: PlannerSettings
    goal: GoalSettings
    guards: GuardSettings
    sessions: CallSettings
    safety: SafetySettings
    battery: BatteryLimits
    decisions: DecisionSettings
    approval: ApprovalSettings
    recording: RecordingSettings
    journal: JournalSettings
    memory: MemorySettings
    keep_out: Annotated[tuple[KeepOutZone, ...], Field(strict=False)]
    left_out: dict[str, str] = Field(
        default_factory=dict
    )  # process of this project → why it does not run
