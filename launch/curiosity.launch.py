"""Our nodes beside a Curiosity that runs already: the Space ROS demo, Gazebo or hardware.

    export ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET RMW_IMPLEMENTATION=rmw_cyclonedds_cpp
    ros2 launch bt_executive curiosity.launch.py use_sim_time:=true

Neither the embedded rover nor the stand-in for the demo's control nodes is started. Names are
those of the demo (config/topics.yaml); with a namespace, the robot's own are expected in it.
"""

from launch import LaunchDescription

from bt_executive.launching.launch_description import describe_stack


def generate_launch_description() -> LaunchDescription:
    """Called by `ros2 launch`."""
    return describe_stack(embedded_rover=False)
