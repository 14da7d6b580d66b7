"""A bare node: hears a topic and calls a service. Two hops of the middleware, and nothing else."""

from __future__ import annotations

from rclpy.node import Node
from std_msgs.msg import String
from std_srvs.srv import Empty

from rover_common.ros.run_node import NodeOptions, run_node

TOPIC = 'bare_hop'
SERVICE = 'bare_hop_back'


class BareHop(Node):
    """Answers a message on the topic by a request to the service."""

    def __init__(self, _options: NodeOptions) -> None:
        super().__init__('bare_hop')
        self._back = self.create_client(Empty, SERVICE)
        self.create_subscription(String, TOPIC, self._hop, 10)

    def _hop(self, _message: String) -> None:
        self._back.call_async(Empty.Request())


if __name__ == '__main__':
    run_node(BareHop)
