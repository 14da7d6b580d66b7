"""The table of Curiosity's own processes: the one place of the executive that names them.

They are started for a robot whose robot.yaml has the section `curiosity` (docs/decisions/0023).
"""

from __future__ import annotations

from bt_executive.launching.node_process import NodeProcess

SECTION = 'curiosity'
ROVER = 'rover'
CURIOSITY_NODES = (
    NodeProcess(
        ROVER,
        'curiosity_sim.rover_node',
        2,
        'stands in for Gazebo',
        check='curiosity_sim.rover.world:check_configuration',
        extra='rover',
    ),
    NodeProcess('curiosity_control', 'curiosity_sim.control_node', 2, "the demo's control nodes"),
    NodeProcess(
        'environment_simulator',
        'curiosity_sim.simulator_node',
        2,
        'scores pictures',
        extra='rover',
    ),
    NodeProcess('curiosity_adapter', 'curiosity_adapter.adapter_node', 1, 'exclusivity, deadman'),
    NodeProcess(
        'curiosity_navigation', 'curiosity_navigation.navigation_node', 2, 'drives to a pose'
    ),
    NodeProcess('visualizer', 'curiosity_viz.visualizer_node', 2, 'markers for RViz'),
)
ROVER_NODES = (ROVER, 'curiosity_control')  # the embedded rover
