"""Converts requests of the memory's services to values, and results to responses."""

from __future__ import annotations

import math
import re
from typing import Any

from bt_executive_interfaces.msg import RememberedPlace

from embodied_nav.node_changes import Stored
from embodied_nav.nodes_of_forest import Node
from embodied_nav.observation import NAMED_PLACE, NAMERS, Observation
from embodied_nav.presence_check import PresenceResult, Verdict
from embodied_nav.query_and_recall_types import Hit, Query, Recall, RecallOutcome, RetrievalMethod
from embodied_nav.retrieval.landmark_queries import parse_relation
from rover_common.geometry.transforms import Transform
from rover_common.text_sanitizing import incoming_text, one_line

FAILED, UNKNOWN_PLACE = 'MEMORY_FAILED', 'MEMORY_UNKNOWN_PLACE'
MOST_PLACES = 3  # in an answer
NEAREST = re.compile(
    r'\b(nearest|closest|near me|nearby)\b|近い|近く|最寄|最近的|附近', re.IGNORECASE
)
HERE_RADIUS_M = 1.0


def query_of(
    request: Any, here: Transform | None, max_age_s: float, frame: str, map_epoch: int
) -> Query:
    """Return the query of a recall. Of several things, only "the nearest" means the nearest.

    Raises:
        ValueError: It asks for the nearest, and where the robot is is not known.
    """
    text = incoming_text(request.text)
    has_landmark = parse_relation(text) is not None  # nearest to that, not to the robot
    asks_for_nearest = NEAREST.search(text) and not has_landmark
    if asks_for_nearest and here is None:
        raise ValueError(
            'What is nearest is not known, as where the robot is is not known: there is no '
            'transform that is new enough. Ask again when there is one, or without that word'
        )
    hierarchical = request.method == 'llm_hierarchical'
    return Query(
        text=text,
        method=RetrievalMethod.LLM_HIERARCHICAL if hierarchical else RetrievalMethod.SEMANTIC,
        near=(here.x, here.y, here.z) if here and asks_for_nearest else None,
        max_age_s=request.max_age_s if request.max_age_s > 0.0 else max_age_s,
        frame_id=frame,
        map_epoch=map_epoch,
    )


def recall_to_ros(recall: Recall | None, fault: str, here: Transform | None, response: Any) -> Any:
    """Fill in the response to a recall; `fault`: why there is no result."""
    if recall is None:
        response.ok, response.error_code, response.reason = False, FAILED, one_line(fault)
        return response
    response.ok = recall.outcome is RecallOutcome.FOUND
    response.error_code = '' if response.ok else f'MEMORY_{recall.outcome.value}'
    response.reason = one_line(recall.reason)
    if recall.count is not None:
        return response  # a count is no place to go to
    for hit in recall.hits[: 1 if response.ok else MOST_PLACES]:
        response.places.append(_place(hit, here))
    return response


def remembered_from_ros(
    request: Any, here: Transform | None, now: float, frame: str, map_epoch: int
) -> Observation:
    """Return the place to remember as an observation.

    Raises:
        ValueError: It has no name, or its position is not known; the text says so.
    """
    name = incoming_text(request.name)
    if not name:
        raise ValueError('The place has no name: give a few words')
    if request.elsewhere:
        position = (request.x, request.y, 0.0)
    elif here is None:
        raise ValueError(
            'Where the robot is is not known: there is no transform that is new enough'
        )
    else:
        position = (here.x, here.y, here.z)
    if not all(math.isfinite(each) for each in position):
        raise ValueError(f'The place x {position[0]}, y {position[1]} is not finite')
    if request.source not in ('', *NAMERS):
        raise ValueError(f'source is {request.source!r}: operator or model')
    return Observation(
        name=name,
        label=NAMED_PLACE,
        caption=incoming_text(request.caption),
        position=position,
        frame_id=frame,
        map_epoch=map_epoch,
        stamp=now,
        radius_m=HERE_RADIUS_M,
        source=request.source or 'model',
        writer=request.source or 'model',
        observation_id=request.key,
    )


def stored_to_ros(seen: Observation, stored: Stored | None, fault: str, response: Any) -> Any:
    """Fill in the response to a request to remember."""
    if stored is None:
        response.ok, response.reason = False, one_line(fault)
        return response
    x, y, _ = seen.position
    verb = 'Was remembered already' if stored.merged_into else 'Remembered'
    verb = 'Moved' if stored.moved else verb
    response.ok, response.id = True, stored.node_id
    response.merged = stored.merged_into is not None
    response.reason = one_line(f'{verb}: {seen.name} at x {x:.1f} m, y {y:.1f} m')
    return response


def presence_to_ros(result: PresenceResult, response: Any) -> Any:
    """Fill in the response with the result of a check."""
    response.ok = not result.verdict.value
    response.error_code, response.reason = result.verdict.value, one_line(result.sentence)
    response.distance_m, response.looks = result.distance_m, result.looks
    response.x, response.y, _ = result.position
    return response


def no_place_to_ros(place_id: str, fault: str, response: Any) -> Any:
    """Fill in the response: there is no node of this id, or the store cannot be read."""
    response.ok, response.distance_m = False, -1.0
    response.error_code = FAILED if fault else UNKNOWN_PLACE
    response.reason = one_line(fault or f'The memory has no place {place_id!r:.80}')
    return response


def nothing_to_see_to_ros(node: Node, here: Transform | None, response: Any) -> Any:
    """Fill in the response for a named place, which shows nothing to a detector.

    It is reached when the robot is within the radius of the place.
    """
    if here is None:
        return no_place_to_ros(node.node_id, 'Where the robot is is not known', response)
    distance = math.dist((here.x, here.y), node.position[:2])
    response.ok, response.distance_m = distance <= node.radius_m, round(distance, 2)
    response.x, response.y, _ = node.position
    response.error_code = '' if response.ok else Verdict.NOT_IN_VIEW.value
    sentence = f'{distance:.1f} m from {node.name}, a place that the {node.writer} named'
    beyond = '' if response.ok else f': farther than {node.radius_m:.1f} m'
    response.reason = one_line(sentence + beyond)
    return response


def _place(hit: Hit, here: Transform | None) -> Any:
    x, y, z = hit.position
    place = RememberedPlace(id=hit.node_id, name=hit.name, caption=hit.caption)
    place.frame_id, place.x, place.y, place.z = hit.frame_id, round(x, 2), round(y, 2), round(z, 2)
    place.named = hit.writer in NAMERS
    place.radius_m, place.score = round(hit.radius_m, 2), round(hit.score, 3)
    place.probability, place.age_s = round(hit.probability, 3), round(hit.age_s, 1)
    place.part_of, place.relations = list(hit.parents), list(hit.relations)
    if here is not None:
        place.relations.append(f'{math.dist((here.x, here.y), (x, y)):.1f} m from the robot')
    return place
