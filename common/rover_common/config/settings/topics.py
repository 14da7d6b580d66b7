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
    """One service, topic or action on the wire. `kind` may be left out: the type shows it.

    `own`: it is in the robot's namespace, also with a slash; see `Topics`.
    """

    kind: Literal['service', 'topic', 'action']
    name: RosName
    type: RosType
    own: bool = False

    @property
    def ros_name(self) -> str:
        """The name for ROS, which resolves one without a slash in the node's namespace."""
        return self.name.removeprefix('/') if self.own else self.name

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


def _is_own_name(text: str) -> str:
    _is_name(text.removeprefix('/') or text)
    return text


def _in_namespace(endpoint: Endpoint) -> Endpoint:
    """A robot.yaml's choice is kept; the names of topics.yaml are in the namespace."""
    is_given = 'own' in endpoint.model_fields_set
    return endpoint if is_given else endpoint.model_copy(update={'own': True})


OwnName = Annotated[str, AfterValidator(_is_own_name)]
OwnEndpoint = Annotated[Endpoint, AfterValidator(_in_namespace)]


def _own(name: str, type_name: str) -> Endpoint:
    return Endpoint.model_validate({'name': name, 'type': type_name, 'own': True})


class ImageTopics(Section):
    """Where pictures come from and where the scored ones go."""

    input_compressed: OwnName = '/image_raw/compressed'
    output_capture_compressed: OwnName = '/capture/image_raw/compressed'
    output_capture_raw: OwnName = '/capture/image_raw'


class TraceTopics(Section):
    """Where trace events go (std_msgs/msg/String, JSON)."""

    events: OwnName = '/trace/events'


Frame = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, pattern=r'^[^\s\x00-\x1f]+$')]


class TfFrames(Section):
    """Frames between which the rover's pose is looked up, without leading slash."""

    base_frame: Frame
    world_frame: Frame


class Services(Section):
    """Services of this project that are not the adapter's."""

    capture_and_score: OwnEndpoint = _own(
        '/capture_and_score', 'curiosity_rosa_demo/srv/CaptureAndScore'
    )


class RoverServices(Section):
    """The seven motion and mast services, the same in the adapter and in the Curiosity demo."""

    move_forward: OwnEndpoint
    turn_left: OwnEndpoint
    turn_right: OwnEndpoint
    move_stop: OwnEndpoint
    mast_open: OwnEndpoint
    mast_close: OwnEndpoint
    mast_rotate: OwnEndpoint


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
    __pydantic_extra__: dict[str, OwnEndpoint] = Field(init=False)

    get_status: OwnEndpoint = _own('/adapter/get_status', 'std_srvs/srv/Trigger')
    status: OwnEndpoint = _own('/adapter/status', 'bt_executive_interfaces/msg/AdapterStatus')
    manual_mode: OwnEndpoint = _own('/adapter/manual_mode', 'std_srvs/srv/SetBool')
    navigate_to_pose: OwnEndpoint = _own(
        '/adapter/navigate_to_pose', 'bt_executive_interfaces/action/NavigateToPose'
    )
    plan_path: OwnEndpoint = _own('/adapter/plan_path', 'bt_executive_interfaces/srv/PlanPath')
    navigation_path: OwnEndpoint = _own('/adapter/navigation_path', 'nav_msgs/msg/Path')
    keep_out: OwnEndpoint = _own('/adapter/keep_out', 'bt_executive_interfaces/msg/KeepOutZones')

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

    marker_array: OwnName = '/visualization_marker_array'
    robot_description: OwnName = '/robot_description'


class RoverTopics(Section):
    """The border of Gazebo with its wheel and mast controllers."""

    cmd_vel: OwnName = '/cmd_vel'
    mast_trajectory: OwnName = '/mast_joint_trajectory_controller/joint_trajectory'
    odometry: OwnName = '/model/curiosity_mars_rover/odometry'
    joint_states: OwnName = '/joint_states'
    image_raw: OwnName = '/image_raw'
    scan: OwnName = '/scan'
    battery_state: OwnName = '/battery_state'
    detections: OwnName = '/detections'


def _of_memory(name: str, type_name: str) -> Endpoint:
    return _own(f'/memory/{name}', f'bt_executive_interfaces/srv/{type_name}')


class MemoryTopics(Section):
    """What the spatial memory offers.

    `places`: what it remembers near the robot, as vision_msgs/msg/Detection3DArray in the world
    frame. `digest`: bt_executive_interfaces/msg/MemoryDigest, for the executive's state. Both
    latched.
    """

    recall: OwnEndpoint = _of_memory('recall', 'Recall')
    remember: OwnEndpoint = _of_memory('remember', 'Remember')
    look: OwnEndpoint = _of_memory('look', 'LookForPlace')
    confirm: OwnEndpoint = _of_memory('confirm', 'JudgePlace')
    retract: OwnEndpoint = _of_memory('retract', 'JudgePlace')
    places: OwnName = '/memory/places'
    digest: OwnName = '/memory/digest'


class SafetyTopics(Section):
    """Where any node may report a safety event (std_msgs/msg/String: the reason).

    And where any node may publish keep-out zones: bt_executive_interfaces/msg/KeepOutZones, with
    QoS transient local; the latest message holds.
    """

    events: OwnName = '/safety_events'
    keep_out: OwnName = '/keep_out_zones'


class VisionTopics(Section):
    """What the process `vision` offers.

    `picture`, `words`: what the robot's camera looked at last and what was said of it, as
    sensor_msgs/msg/Image and std_msgs/msg/String. Both latched.
    """

    look: OwnEndpoint = _own('/vision/look', 'bt_executive_interfaces/action/Look')
    look_at_screen: OwnEndpoint = _own(
        '/vision/look_at_screen', 'bt_executive_interfaces/action/Look'
    )
    watch: OwnEndpoint = _own('/vision/watch', 'bt_executive_interfaces/srv/SetWatch')
    picture: OwnName = '/vision/picture'
    words: OwnName = '/vision/words'


class Topics(Section):
    """topics.yaml: names in the robot's namespace, whether they begin with a slash or not.

    Where a robot.yaml has them they are names of ROS: the loader says so of an absolute one by a
    second slash, or of an endpoint by `own` (docs/decisions/0141).
    """

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
