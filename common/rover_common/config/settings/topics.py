"""topics.yaml: every name and type on the wire."""

from __future__ import annotations

import difflib
import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from rover_common.config.settings.section import Section

_NAME = re.compile(r'/?[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*')
LONGEST_NAME = 200  # characters


def _is_name(text: str) -> str:
    if len(text) > LONGEST_NAME or not _NAME.fullmatch(text):
        raise ValueError(
            f'write a name of ROS with {LONGEST_NAME} characters at most, such as /arm/state'
        )
    return text


RosName = Annotated[str, AfterValidator(_is_name)]
RosType = Annotated[str, Field(pattern=r'^[a-z][a-z0-9_]*/(srv|msg|action)/[A-Z][A-Za-z0-9]*$')]


MISSPELT = 0.85  # likeness from which on a name is taken for a known one that is written wrong
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
        return raw | {'kind': KINDS.get(parts[1], 'service') if len(parts) == 3 else 'service'}

    @model_validator(mode='after')
    def _kind_fits(self) -> Endpoint:
        kind = KINDS[self.type.split('/')[1]]
        if self.kind != kind:
            raise ValueError(f'{self.type} is the type of a {kind}, not of a {self.kind}')
        return self


class ImageTopics(Section):
    """Where pictures come from and where the scored ones go."""

    input_compressed: RosName = '/image_raw/compressed'
    output_capture_compressed: RosName = '/capture/image_raw/compressed'
    output_capture_raw: RosName = '/capture/image_raw'


class TraceTopics(Section):
    """Where trace events go (std_msgs/msg/String, JSON)."""

    events: RosName = '/trace/events'


Frame = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, pattern=r'^[^\s\x00-\x1f]+$')]


class TfFrames(Section):
    """Frames between which the rover's pose is looked up, without leading slash."""

    base_frame: Frame
    world_frame: Frame


class Services(Section):
    """Services of this project that are not the adapter's."""

    capture_and_score: Endpoint = Endpoint(
        kind='service',
        name='/capture_and_score',
        type='curiosity_rosa_demo/srv/CaptureAndScore',
    )


class RoverServices(Section):
    """The seven motion and mast services, the same in the adapter and in the Curiosity demo."""

    move_forward: Endpoint
    turn_left: Endpoint
    turn_right: Endpoint
    move_stop: Endpoint
    mast_open: Endpoint
    mast_close: Endpoint
    mast_rotate: Endpoint


def _rover_services(prefix: str, type_name: str) -> dict[str, Any]:
    return {
        name: {'name': f'{prefix}/{name}', 'type': type_name}
        for name in RoverServices.model_fields
    }


class AdapterEndpoints(RoverServices):
    """What the adapter offers to the executive.

    The adapter of another robot may offer other endpoints besides, under names of their own. What
    is left out has the names of the requirement documents, whether anybody offers it or not.
    """

    model_config = ConfigDict(extra='allow')
    __pydantic_extra__: dict[str, Endpoint] = Field(init=False)

    get_status: Endpoint = Endpoint(
        kind='service', name='/adapter/get_status', type='std_srvs/srv/Trigger'
    )
    status: Endpoint = Endpoint(
        kind='topic', name='/adapter/status', type='bt_executive_interfaces/msg/AdapterStatus'
    )
    manual_mode: Endpoint = Endpoint(
        kind='service', name='/adapter/manual_mode', type='std_srvs/srv/SetBool'
    )
    navigate_to_pose: Endpoint = Endpoint(
        kind='action',
        name='/adapter/navigate_to_pose',
        type='bt_executive_interfaces/action/NavigateToPose',
    )
    plan_path: Endpoint = Endpoint(
        kind='service',
        name='/adapter/plan_path',
        type='bt_executive_interfaces/srv/PlanPath',
    )
    navigation_path: Endpoint = Endpoint(
        kind='topic', name='/adapter/navigation_path', type='nav_msgs/msg/Path'
    )
    keep_out: Endpoint = Endpoint(
        kind='topic', name='/adapter/keep_out', type='bt_executive_interfaces/msg/KeepOutZones'
    )

    @model_validator(mode='before')
    @classmethod
    def _complete(cls, raw: Any) -> Any:
        if not isinstance(raw, dict):
            return raw
        missing = cls.model_fields.keys() - raw.keys()
        for name in raw.keys() - cls.model_fields.keys():
            close = difflib.get_close_matches(str(name), missing, n=1, cutoff=MISSPELT)
            if close:
                raise ValueError(
                    f'{name!r} looks like {close[0]!r}, which is missing; write it so, or give '
                    f'{close[0]!r}, too'
                )
        return _rover_services('/adapter', 'std_srvs/srv/Trigger') | raw


class VizTopics(Section):
    """Where markers for RViz go."""

    marker_array: RosName = '/visualization_marker_array'
    robot_description: RosName = '/robot_description'


class RoverTopics(Section):
    """The border of Gazebo with its wheel and mast controllers."""

    cmd_vel: RosName = '/cmd_vel'
    mast_trajectory: RosName = '/mast_joint_trajectory_controller/joint_trajectory'
    odometry: RosName = '/model/curiosity_mars_rover/odometry'
    joint_states: RosName = '/joint_states'
    image_raw: RosName = '/image_raw'
    scan: RosName = '/scan'
    battery_state: RosName = '/battery_state'
    detections: RosName = '/detections'


def _of_memory(name: str, type_name: str) -> Endpoint:
    type_name = f'bt_executive_interfaces/srv/{type_name}'
    return Endpoint(kind='service', name=f'/memory/{name}', type=type_name)


class MemoryTopics(Section):
    """What the spatial memory offers.

    `places`: what it remembers near the robot, as vision_msgs/msg/Detection3DArray in the world
    frame. `digest`: bt_executive_interfaces/msg/MemoryDigest, for the executive's state. Both
    latched.
    """

    recall: Endpoint = _of_memory('recall', 'Recall')
    remember: Endpoint = _of_memory('remember', 'Remember')
    look: Endpoint = _of_memory('look', 'LookForPlace')
    confirm: Endpoint = _of_memory('confirm', 'JudgePlace')
    retract: Endpoint = _of_memory('retract', 'JudgePlace')
    places: RosName = '/memory/places'
    digest: RosName = '/memory/digest'


class SafetyTopics(Section):
    """Where anybody may report a safety event (std_msgs/msg/String: the reason).

    And where anybody may publish keep-out zones: bt_executive_interfaces/msg/KeepOutZones, with
    QoS transient local; the latest message holds.
    """

    events: RosName = '/safety_events'
    keep_out: RosName = '/keep_out_zones'


class VisionTopics(Section):
    """What the process `vision` offers.

    `picture`, `words`: what the robot's camera looked at last and what was said of it, as
    sensor_msgs/msg/Image and std_msgs/msg/String. Both latched.
    """

    look: Endpoint = Endpoint(
        kind='action', name='/vision/look', type='bt_executive_interfaces/action/Look'
    )
    look_at_screen: Endpoint = Endpoint(
        kind='action', name='/vision/look_at_screen', type='bt_executive_interfaces/action/Look'
    )
    watch: Endpoint = Endpoint(
        kind='service', name='/vision/watch', type='bt_executive_interfaces/srv/SetWatch'
    )
    picture: RosName = '/vision/picture'
    words: RosName = '/vision/words'


class Topics(Section):
    """topics.yaml."""

    images: ImageTopics = ImageTopics()
    trace: TraceTopics = TraceTopics()
    tf: TfFrames
    services: Services = Services()
    adapter: AdapterEndpoints
    curiosity: RoverServices = RoverServices.model_validate(
        _rover_services('', 'std_srvs/srv/Empty')
    )
    viz: VizTopics = VizTopics()
    rover: RoverTopics = RoverTopics()
    safety: SafetyTopics = SafetyTopics()
    memory: MemoryTopics = MemoryTopics()
    vision: VisionTopics = VisionTopics()
