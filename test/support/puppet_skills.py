"""Two skills that puppets serve: an action and a service; and how patient the executive is."""

from __future__ import annotations

from typing import Any

import pytest

LAMP = ('service', '/puppet/lamp', 'std_srvs/srv/SetBool')
LOOK_UP = ('action', '/puppet/look_up', 'tf2_msgs/action/LookupTransform')
ENTRIES = """
  lamp:
    description: "Switch the lamp."
    interface_type: ros2_service
    endpoint: { name: /puppet/lamp, type: std_srvs/srv/SetBool }
    args_schema: { type: object, properties: { data: { type: boolean } } }
    resources_required: [camera]
    preconditions: []
    preemptible: true
    cancel_supported: false
    timeout_s: 12.0
    idempotent: false
    autonomy: auto
    error_map: {}
    result: { ok: success, reason: message }
  look_up:
    description: "Look a transform up."
    interface_type: ros2_action
    endpoint: { name: /puppet/look_up, type: tf2_msgs/action/LookupTransform }
    args_schema: { type: object, properties: { target: { type: string } } }
    fields: { target: target_frame }
    resources_required: [camera]
    preconditions: []
    preemptible: true
    cancel_supported: true
    timeout_s: 12.0
    idempotent: false
    autonomy: auto
    error_map: { CONNECTIVITY: ABORT }
    result: { reason: error.error_string, code: error.error, codes: { 2: CONNECTIVITY } }
"""


PATIENT = ('executive.sessions.cancel_timeout_s=12.0',)
HASTY = (
    'executive.sessions.cancel_timeout_s=0.8',
    'skills.skills.lamp.timeout_s=2.0',
    'skills.skills.look_up.timeout_s=2.0',
)
hasty = pytest.mark.parametrize('config', [HASTY], indirect=True, ids=['hasty'])


def gone(it: Any, tool: str) -> None:
    """Until the graph has forgotten a killed server; till then requests still go to it."""
    endpoint = it.brain.registry[tool].endpoint
    it.until(lambda: not it.robot.ready(endpoint))
