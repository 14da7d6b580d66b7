#!/usr/bin/env bash
# Tests the overlay in the container: the command line's own checks, then the tests that start no ROS.
#   docker compose exec curiosity_demo src/bt_executive/overlay_ws/scripts/test_overlay.sh
# Arguments go to pytest.
set -euo pipefail
# shellcheck source=overlay_ws/scripts/_workspace.sh
source "$(dirname "$(readlink -f "$0")")/_workspace.sh"

source_underlay
source_if_there "$OVERLAY_WS/install/setup.bash" ||
  fail "$OVERLAY_WS/install is not there: run build_overlay.sh first."
ros2 run bt_executive bt-executive doctor
cd "$SOURCE"
exec python3 -m pytest -m 'not ros and not process and not system and not long' "$@"
