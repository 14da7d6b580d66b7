"""The configuration as one frozen typed tree: a class per section of YAML, a field per key.

Keys of the requirement documents (topics, thresholds, tool_costs, prompts) keep their names and
stay loadable without ours, hence the defaults of the keys that we added to those files. The
files that are ours alone have no defaults here: their values stand in `config/` and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable

from rover_common.config.settings.curiosity import (
    BatterySettings,
    CameraSettings,
    CuriositySettings,
    MastSettings,
    MotionSettings,
    NavigationSettings,
    RoverSettings,
    ScanSettings,
    SimulatorSettings,
)
from rover_common.config.settings.executive import (
    ApprovalSettings,
    BatteryLimits,
    ExecutiveSettings,
    GoalSettings,
    GuardSettings,
    JournalSettings,
    PlannerSettings,
    SafetySettings,
)
from rover_common.config.settings.gates import ActionGateSettings, VelocityGateSettings
from rover_common.config.settings.keep_out_zone import KeepOutZone
from rover_common.config.settings.model import (
    CircuitSettings,
    ModelChoice,
    ModelSettings,
    Price,
    RequestSettings,
)
from rover_common.config.settings.prompts import (
    DoneWhen,
    Example,
    Near,
    Prompts,
    RobotPrompts,
)
from rover_common.config.settings.robot import Robot
from rover_common.config.settings.section import Section, Variant
from rover_common.config.settings.skills import ResultFields, Skill
from rover_common.config.settings.state_and_guards import (
    Bounds,
    PartCondition,
    PartType,
    PartValue,
)
from rover_common.config.settings.thresholds_and_tool_costs import (
    LightModel,
    Quality,
    Thresholds,
    ToolCosts,
)
from rover_common.config.settings.topics import Endpoint, RoverServices, Topics
from rover_common.config.settings.vision import (
    EpisodeSettings,
    VisionSettings,
    WatchDefaults,
)
from rover_common.config.settings.world import NO_WORLD, WorldSettings

__all__ = [
    'ActionGateSettings',
    'ApprovalSettings',
    'BatteryLimits',
    'BatterySettings',
    'Bounds',
    'CameraSettings',
    'CircuitSettings',
    'Config',
    'CuriositySettings',
    'DoneWhen',
    'Endpoint',
    'EpisodeSettings',
    'Example',
    'ExecutiveSettings',
    'GoalSettings',
    'GuardSettings',
    'JournalSettings',
    'KeepOutZone',
    'LightModel',
    'MastSettings',
    'ModelChoice',
    'ModelSettings',
    'MotionSettings',
    'NavigationSettings',
    'Near',
    'PartCondition',
    'PartType',
    'PartValue',
    'PlannerSettings',
    'Price',
    'Prompts',
    'Quality',
    'RequestSettings',
    'ResultFields',
    'Robot',
    'RobotPrompts',
    'RoverServices',
    'RoverSettings',
    'SafetySettings',
    'ScanSettings',
    'Section',
    'SimulatorSettings',
    'Skill',
    'Thresholds',
    'Topics',
    'Variant',
    'VelocityGateSettings',
    'VisionSettings',
    'WatchDefaults',
    'WorldSettings',
    'process_of',
]


def process_of(part: str) -> str:
    """Returns the process of a part of /diagnostics, such as `curiosity_adapter: mast`."""
    return part.partition(':')[0]


class Config(Section):
    """The whole configuration: the robot's file, and one field per section of it.

    A section is in robot.yaml under its name, or in a file of its own beside it.
    """

    topics: Topics
    thresholds: Thresholds
    tool_costs: ToolCosts
    prompts: Prompts
    robot: Robot
    executive: ExecutiveSettings
    curiosity: CuriositySettings
    vision: VisionSettings

    def why_left_out(self, endpoint: Endpoint, parts: Iterable[str] = ()) -> str:
        """Returns why the process that offers an endpoint does not run; empty: it may.

        `parts`: of processes that a tool needs, as `ready_when` names them.
        """
        topics, reasons = self.topics, self.executive.left_out
        for name, section in (('memory', topics.memory), ('vision', topics.vision)):
            if name in reasons and any(each == endpoint for _, each in section):
                return reasons[name]
        return next((reasons[each] for each in map(process_of, parts) if each in reasons), '')

    @property
    def world(self) -> WorldSettings:
        """The world of the embedded robot."""
        return self.curiosity.rover.world

    @property
    def has_world(self) -> bool:
        """Whether the robot can be the embedded one; another robot has no simulated world."""
        return self.world.name != NO_WORLD
