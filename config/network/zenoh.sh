# shellcheck shell=bash
# Sourced on every host, with a ROS 2 distribution that has rmw_zenoh_cpp (Jazzy or later):
#   source config/network/zenoh.sh
# On every host one router runs: ros2 run rmw_zenoh_cpp rmw_zenohd
# On the operator's host it connects to the rover's, and keeps trying while the link is down:
#   ROVER_HOST=10.0.0.2 source config/network/zenoh.sh && ros2 run rmw_zenoh_cpp rmw_zenohd
export RMW_IMPLEMENTATION=rmw_zenoh_cpp
if [ -n "${ROVER_HOST:-}" ]; then
  here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
  export ZENOH_ROUTER_CONFIG_URI=$here/zenoh_router.json5
  export ZENOH_CONFIG_OVERRIDE="connect/endpoints=[\"tcp/$ROVER_HOST:7447\"]"
fi
