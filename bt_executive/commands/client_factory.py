"""Factories of the executive's client, for the front ends of the command line."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from bt_executive.console.program_name import own_command
from rover_common.errors import UsageError

if TYPE_CHECKING:
    from bt_executive.ros.client.executive_client import ExecutiveClient


def client_factory() -> Callable[..., ExecutiveClient]:
    """Return the factory of clients for an operator's front end.

    Raises:
        UsageError: ROS cannot be imported.
    """
    try:
        from bt_executive.ros.client.executive_client import ExecutiveClient
        from rover_common.ros.entering_ros import leave_out_code_generator, shorten_switch_interval
    except ImportError as error:
        raise UsageError(
            f'ROS 2 cannot be used here ({error}): run `make setup`, or source a distribution and '
            f'the workspace; `{own_command()} doctor` says what is missing.'
        ) from None
    leave_out_code_generator()

    def make_client(*arguments: Any, **options: Any) -> ExecutiveClient:
        client = ExecutiveClient(*arguments, **options)
        shorten_switch_interval()  # the client's and the program's own
        return client

    return make_client


def agent_client_factory() -> partial[ExecutiveClient]:
    """Return the factory of clients whose requests are an agent's; raises as `client_factory`."""
    client = client_factory()
    from bt_executive.client.front_end_requests import AGENT

    return partial(client, front_end=AGENT)
