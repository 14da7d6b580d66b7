"""topics.yaml: every name and type on the wire."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from rover_common.config.settings.section import Section

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
    manual_mode: Endpoint = Endpoint(
        kind='service', name='/adapter/manual_mode', type='std_srvs/srv/SetBool'
    )
    navigate_to_pose: Endpoint = Endpoint(
        kind='action',
        name='/adapter/navigate_to_pose',
        type='bt_executive_interfaces/action/NavigateToPose',
    )
    navigation_path: Endpoint = Endpoint(
        kind='topic', name='/adapter/navigation_path', type='nav_msgs/msg/Path'
    )
    keep_out: Endpoint = Endpoint(
        kind='topic', name='/adapter/keep_out', type='std_msgs/msg/String'
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
