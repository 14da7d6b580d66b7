"""Two skills that puppets serve, an action and a service; and how their time passes."""

from __future__ import annotations

from typing import Any

LAMP = ('service', '/puppet/lamp', 'std_srvs/srv/SetBool')
LOOK_UP = ('action', '/puppet/look_up', 'tf2_msgs/action/LookupTransform')
ENTRIES = """
  lamp:
    description: "Switch the lamp."
    service: { name: /puppet/lamp, type: std_srvs/srv/SetBool }
    args: { data: { type: boolean, optional: true } }
    resources_required: [camera]
    timeout_s: 12.0
    result: { ok: success, reason: message }
  look_up:
    description: "Look a transform up."
    action: { name: /puppet/look_up, type: tf2_msgs/action/LookupTransform }
    args: { target: { type: string, field: target_frame, optional: true } }
    resources_required: [camera]
    timeout_s: 12.0
    error_map: { CONNECTIVITY: ABORT }
    result: { reason: error.error_string, code: error.error, codes: { 2: CONNECTIVITY } }
"""


def gone(it: Any, tool: str) -> None:
    """Until the graph has forgotten a killed server, and so long that its work counts as lost.

    Before that, requests still go to it.
    """
    endpoint = it.context.registry[tool].endpoint
    it.until(lambda: not it.robot.ready(endpoint))
    it.pass_time(2.0 * it.context.config.executive.sessions.lost_after_s)


def overdue(it: Any, tool: str) -> None:
    """Until the time of a call that was just sent is over."""
    it.pass_time(it.context.registry[tool].skill.timeout_s + 0.2)


def told_to_end_in_vain(it: Any) -> None:
    """Until a server that was just told to end a call has had its time to do so."""
    it.pass_time(it.context.config.executive.sessions.cancel_timeout_s + 0.2)
