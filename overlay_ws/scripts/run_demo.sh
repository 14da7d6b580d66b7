#!/usr/bin/env bash
# Starts the overlay's nodes beside the Curiosity demo that runs already, with the console:
#   docker compose exec curiosity_demo src/bt_executive/overlay_ws/scripts/run_demo.sh
# Arguments go to `bt-executive up`; with --launch first, to `ros2 launch bt_executive curiosity.launch.py`.
set -euo pipefail
# shellcheck source=overlay_ws/scripts/_workspace.sh
source "$(dirname "$(readlink -f "$0")")/_workspace.sh"

source_underlay
source_if_there "$OVERLAY_WS/install/setup.bash" ||
  fail "$OVERLAY_WS/install is not there: run build_overlay.sh first."
if [ "${1:-}" = --launch ]; then
  shift
  exec ros2 launch bt_executive curiosity.launch.py "$@"
fi
exec ros2 run bt_executive bt-executive up --no-rover "$@"
