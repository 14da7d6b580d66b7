# shellcheck shell=bash
# Sourced on every host: our processes find each other by a Fast DDS discovery server, without multicast.
#   ROVER_HOST=10.0.0.2 source config/network/discovery_server.sh
# The server itself runs on that host: config/network/run_discovery_server.sh
: "${ROVER_HOST:?set it to the address of the host on which the discovery server runs}"
export RMW_IMPLEMENTATION=rmw_fastrtps_cpp
export ROS_DISCOVERY_SERVER="$ROVER_HOST:${DISCOVERY_PORT:-11811}"
# The server says who is there; LOCALHOST would keep everything on this machine.
export ROS_AUTOMATIC_DISCOVERY_RANGE=SYSTEM_DEFAULT
