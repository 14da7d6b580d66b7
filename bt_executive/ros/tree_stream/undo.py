"""Takes back what a part has put on a node, if the part cannot be made to the end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rclpy.node import Node


@contextmanager
def undone_on_failure(node: Node) -> Iterator[None]:
    """Inside, an exception leaves the node without what was added to it since the beginning.

    That is services, clients, topics, timers and parameters; the exception goes on.
    """
    entities, parameters = _entities(node), _parameters(node)
    try:
        yield
    except Exception:
        for entity, destroy in _entities(node).items():
            if entity not in entities:
                destroy(entity)
        for name in _parameters(node) - parameters:
            node.undeclare_parameter(name)
        raise


def _entities(node: Node) -> dict[Any, Any]:
    """Each with the method that destroys it."""
    kinds = (
        (node.services, node.destroy_service),
        (node.clients, node.destroy_client),
        (node.publishers, node.destroy_publisher),
        (node.subscriptions, node.destroy_subscription),
        (node.timers, node.destroy_timer),
    )
    return {each: destroy for found, destroy in kinds for each in found}


def _parameters(node: Node) -> set[str]:
    return set(node.get_parameters_by_prefix(''))
