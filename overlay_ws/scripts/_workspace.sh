# shellcheck shell=bash
# Sourced by the scripts beside it: where the overlay is, and the underlay that it stands on.
# OVERLAY_WS: a folder with this repository in src/; by default the one of the Demo container.

say() { echo "overlay: $*" >&2; }
fail() {
  say "$*"
  exit 1
}

OVERLAY_WS=${OVERLAY_WS:-$HOME/overlay_ws}
SOURCE=$OVERLAY_WS/src/bt_executive

[ -f "$SOURCE/package.xml" ] ||
  fail "there is no bt_executive in $SOURCE: mount the repository there (docker/compose.override.yml), or name another workspace with OVERLAY_WS."

# What setup files of colcon read need not be set.
source_if_there() {
  [ -f "$1" ] || return 1
  set +u
  # shellcheck disable=SC1090
  source "$1"
  set -u
}

source_underlay() {
  local found=no file
  for file in "/opt/ros/${ROS_DISTRO:-humble}/setup.bash" "$HOME/spaceros/install/setup.bash" \
    "$HOME/curiosity_ws/install/setup.bash"; do
    source_if_there "$file" && found=yes
  done
  [ "$found" = yes ] || fail "no ROS 2 was found in /opt/ros, ~/spaceros and ~/curiosity_ws: run this in the Demo container."
}
