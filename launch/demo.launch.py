"""Launches the executive and its nodes on a ROS 2 distribution; goals come over its action.

    ros2 launch bt_executive demo.launch.py                   with the embedded rover
    ros2 launch bt_executive demo.launch.py rover:=false      beside a running Curiosity demo

Every node dies with the launch and is started again when it dies alone.
"""

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

PACKAGE = 'bt_executive'
NODES = ('environment_simulator', 'curiosity_adapter', 'visualizer', 'executive')
ROVER_NODES = ('rover', 'curiosity_control')

ARGUMENTS = {
    'config': ('', 'configuration folder; empty: the shipped one'),
    'variant': ('', 'A or B of the mast rules; empty: as configured'),
    'rover': ('true', 'start the embedded rover and its control nodes'),
    'run_dir': ('', 'folder that takes trace, summary and pictures; empty: none is written'),
    'use_sim_time': ('', 'true or false: take the time from /clock; empty: as configured'),
    'namespace': ('', 'namespace of all nodes; two rovers can share one network'),
    'log_level': ('info', 'debug, info, warn, error or fatal'),
}


def generate_launch_description() -> LaunchDescription:
    """Called by `ros2 launch`."""
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(name, default_value=default, description=description)
                for name, (default, description) in ARGUMENTS.items()
            ),
            OpaqueFunction(function=_nodes),
        ]
    )


def _nodes(context: LaunchContext) -> list[Node]:
    given = {name: LaunchConfiguration(name).perform(context) for name in ARGUMENTS}
    rover = ROVER_NODES if given['rover'].lower() in ('true', '1', 'yes') else ()
    return [
        Node(
            package=PACKAGE,
            executable=executable,
            namespace=given['namespace'],
            arguments=_node_arguments(given),
            ros_arguments=['--log-level', given['log_level']],
            output='screen',
            respawn=True,
            respawn_delay=1.0,
        )
        for executable in (*rover, *NODES)
    ]


def _node_arguments(given: dict[str, str]) -> list[str]:
    """The options of every node process; an empty launch argument leaves its option out."""
    arguments = []
    if given['config']:
        arguments += ['--config', given['config']]
    if given['run_dir']:
        arguments += ['--run-dir', given['run_dir']]
    for key in ('variant', 'use_sim_time'):
        if given[key]:
            arguments += ['--set', f'executive.{key}={given[key]}']
    return arguments
