#!/usr/bin/env bash
# Builds this repository as an overlay on the workspace of the Curiosity demo, in the Demo container:
#   docker compose exec curiosity_demo src/bt_executive/overlay_ws/scripts/build_overlay.sh
# Arguments go to `colcon build`.
set -euo pipefail
# shellcheck source=overlay_ws/scripts/_workspace.sh
source "$(dirname "$(readlink -f "$0")")/_workspace.sh"

source_underlay
cd "$OVERLAY_WS"
say "building in $OVERLAY_WS, on ROS 2 ${ROS_DISTRO:-of an unknown name}"
colcon build --symlink-install --base-paths "$SOURCE" "$SOURCE"/interfaces/* "$@"
say "done; run_demo.sh starts the nodes"
