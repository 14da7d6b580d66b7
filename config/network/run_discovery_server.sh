#!/usr/bin/env bash
# Runs the Fast DDS discovery server of .venv (or of the PATH), on the rover's host:
#   config/network/run_discovery_server.sh [ADDRESS [PORT]]      default: every address, 11811
set -euo pipefail

root=$(dirname "$(readlink -f "$0")")/../..
program=$root/.venv/bin/fast-discovery-server
[ -x "$program" ] || program=$(command -v fast-discovery-server) || {
  echo "run_discovery_server: no fast-discovery-server was found: run 'make demo', or source a ROS 2 distribution." >&2
  exit 1
}
# The wheel's program does not know where the wheels' libraries are.
prefix=$(dirname "$(dirname "$(readlink -f "$program")")")
libraries=$prefix/lib$(printf ':%s' "$prefix"/lib/python3*/site-packages/ros_*.libs)
export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
exec "$program" -i 0 -l "${1:-0.0.0.0}" -p "${2:-11811}"
