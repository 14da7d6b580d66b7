"""Markers and ways as ROS messages have them. Messages are all of ROS here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bt_executive_interfaces.msg import ApprovalRequests
from geometry_msgs.msg import Point as RosPoint
from nav_msgs.msg import Path
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker as RosMarker
from visualization_msgs.msg import MarkerArray

from curiosity_viz.markers import Changes, Colour, Key, Marker
from curiosity_viz.mode_and_requests import Request
from curiosity_viz.navigation_path_and_keep_out import PlannedPath, path_through, thinned_out
from curiosity_viz.remembered_places import RememberedPlace, drawable_places
from rover_common.geometry.transforms import Transform
from rover_common.json_values import read_json_object

if TYPE_CHECKING:
    from vision_msgs.msg import Detection3DArray

SHAPES = {
    'cube': RosMarker.CUBE,
    'cylinder': RosMarker.CYLINDER,
    'arrow': RosMarker.ARROW,
    'text': RosMarker.TEXT_VIEW_FACING,
    'line': RosMarker.LINE_STRIP,
    'cubes': RosMarker.CUBE_LIST,
    'balls': RosMarker.SPHERE_LIST,
    'triangles': RosMarker.TRIANGLE_LIST,
}
# RViz reads scale.x of a text, where it is not zero, as twice the width of a space. Its default
# does not follow the height of the letters.
SPACE = 0.5
MOST_REQUESTS = 1000  # in one message


def requests_from_ros(message: ApprovalRequests) -> list[Request]:
    """Read a message of the executive's ~/approvals.

    Raises:
        ValueError: It has too many requests, or the arguments of one are no JSON object.
    """
    if len(message.requests) > MOST_REQUESTS:
        raise ValueError(f'it has {len(message.requests)} requests, more than {MOST_REQUESTS}')
    return [
        Request(each.request_id, each.tool, read_json_object(each.arguments))
        for each in message.requests
    ]


def changes_to_ros(changes: Changes, frame: str) -> MarkerArray:
    """What is no longer shown, then what is. Stamps are zero: by the latest transform."""
    afresh = [_addressed(('', 0), frame, RosMarker.DELETEALL)] if changes.afresh else []
    gone = [_addressed(key, frame, RosMarker.DELETE) for key in changes.gone]
    return MarkerArray(markers=[*afresh, *gone, *(_to_ros(each, frame) for each in changes.new)])


def path_from_ros(path: Path, frame: str) -> PlannedPath:
    """The way of a path that is given in `frame`.

    Raises:
        ValueError: It is in another frame, or cannot be drawn.
    """
    given = path.header.frame_id.lstrip('/')
    if path.poses and given != frame:
        raise ValueError(f'it is in frame {given!r:.80}, expected is {frame!r}')
    return path_through([_pose_from_ros(stamped.pose) for stamped in thinned_out(path.poses)])


def places_from_ros(message: Detection3DArray, frame: str) -> tuple[RememberedPlace, ...]:
    """What the memory remembers, given in `frame`.

    Raises:
        ValueError: It is in another frame, or too much to draw.
    """
    given = message.header.frame_id.lstrip('/')
    if message.detections and given != frame:
        raise ValueError(f'it is in frame {given!r:.80}, expected is {frame!r}')
    places = []
    for detection in message.detections:
        at = detection.bbox.center.position
        labels = [one.hypothesis.class_id for one in detection.results]
        places.append((labels[0] if labels else '', (at.x, at.y, at.z), detection.bbox.size.x))
    return drawable_places(places)


def _pose_from_ros(pose: Any) -> Transform:
    at, turned = pose.position, pose.orientation
    return Transform(at.x, at.y, at.z, turned.x, turned.y, turned.z, turned.w)


def _to_ros(marker: Marker, frame: str) -> RosMarker:
    message = _addressed(marker.key, frame, RosMarker.ADD)
    message.type = SHAPES[marker.shape]
    position, turned = message.pose.position, message.pose.orientation
    position.x, position.y, position.z = marker.at
    turned.x, turned.y, turned.z, turned.w = marker.turned
    message.scale.x, message.scale.y, message.scale.z = marker.size
    if marker.shape == 'text':
        message.scale.x = SPACE * marker.size[2]
    message.color = _colour_to_ros(marker.colour)
    message.text = marker.text
    message.points = [RosPoint(x=x, y=y, z=z) for x, y, z in marker.points]
    message.colors = [_colour_to_ros(each) for each in marker.colours]
    return message


def _addressed(key: Key, frame: str, action: int) -> RosMarker:
    message = RosMarker(ns=key[0], id=key[1], action=action)
    message.header.frame_id = frame
    return message


def _colour_to_ros(colour: Colour) -> ColorRGBA:
    red, green, blue, opacity = colour
    return ColorRGBA(r=red, g=green, b=blue, a=opacity)
