"""The whole system with the embedded rover; goals come over the executive's action.

ros2 launch bt_executive demo.launch.py
ros2 launch bt_executive demo.launch.py namespace:=rover_2 world:=dunes variant:=A
ros2 launch bt_executive demo.launch.py rover:=false         beside a running Curiosity demo
ros2 launch bt_executive demo.launch.py --show-args          all arguments
"""

from launch import LaunchDescription

from bt_executive.launching.launch_description import describe_stack


def generate_launch_description() -> LaunchDescription:
    """Called by `ros2 launch`."""
    return describe_stack(embedded_rover=True)
