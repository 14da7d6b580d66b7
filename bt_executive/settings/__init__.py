"""The configuration as one frozen typed tree: a class per YAML section, a field per key.

Keys of the requirement documents (topics, thresholds, tool_costs, prompts) keep their names and
stay loadable without ours, hence the defaults of the keys that we added to those files. The
files that are ours alone have no defaults here: their values stand in `config/` and nowhere else.
"""

from __future__ import annotations

from bt_executive.settings.curiosity import (
    Battery,
    Camera,
    CuriositySettings,
    Mast,
    Motion,
    Navigation,
    Rover,
    ScanSettings,
    Simulator,
)
from bt_executive.settings.executive import (
    Agent,
    BatteryLimits,
    CircuitSettings,
    ExecutiveSettings,
    GoalSettings,
    GuardSettings,
    PlannerSettings,
    Price,
    RequestSettings,
    SafetySettings,
)
from bt_executive.settings.prompts import Example, Prompts, RobotPrompts, ToolCosts
from bt_executive.settings.section import Section
from bt_executive.settings.skills import ResultFields, Skill, Skills, Variant
from bt_executive.settings.thresholds import LightModel, Quality, Thresholds
from bt_executive.settings.topics import Endpoint, RoverServices, Topics
from bt_executive.settings.world import KeepOutZone, WorldSettings

__all__ = [
    'Agent',
    'Battery',
    'BatteryLimits',
    'Camera',
    'CircuitSettings',
    'Config',
    'CuriositySettings',
    'Endpoint',
    'Example',
    'ExecutiveSettings',
    'GoalSettings',
    'GuardSettings',
    'KeepOutZone',
    'LightModel',
    'Mast',
    'Motion',
    'Navigation',
    'PlannerSettings',
    'Price',
    'Prompts',
    'Quality',
    'RequestSettings',
    'ResultFields',
    'RobotPrompts',
    'Rover',
    'RoverServices',
    'SafetySettings',
    'ScanSettings',
    'Section',
    'Simulator',
    'Skill',
    'Skills',
    'Thresholds',
    'ToolCosts',
    'Topics',
    'Variant',
    'WorldSettings',
]


class Config(Section):
    """The whole configuration: one field per file of the configuration folder."""

    topics: Topics
    thresholds: Thresholds
    tool_costs: ToolCosts
    prompts: Prompts
    skills: Skills
    executive: ExecutiveSettings
    curiosity: CuriositySettings
