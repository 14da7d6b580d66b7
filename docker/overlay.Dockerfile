# The Demo container of the Space ROS Curiosity demo, with what the overlay needs beside ROS.
# The source comes by a bind mount (compose.override.yml): overlay_ws/scripts/build_overlay.sh builds it.
ARG UNDERLAY=osrf/space-ros:curiosity_demo
# hadolint ignore=DL3006
FROM ${UNDERLAY}

SHELL ["/bin/bash", "-o", "pipefail", "-c"]
# hadolint ignore=DL3066
USER root
# The underlay decides which versions fit it. Its messages are compiled for NumPy 1 and cannot be
# imported beside NumPy 2.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        python3-colcon-common-extensions python3-pip \
        "ros-${ROS_DISTRO}-py-trees-ros" "ros-${ROS_DISTRO}-py-trees-ros-interfaces" \
        "ros-${ROS_DISTRO}-tf2-msgs" "ros-${ROS_DISTRO}-tf2-ros-py" \
        "ros-${ROS_DISTRO}-trajectory-msgs" "ros-${ROS_DISTRO}-visualization-msgs" \
    && rm -rf /var/lib/apt/lists/*

COPY .ci/requirements.py setup.cfg /tmp/overlay/
RUN python3 /tmp/overlay/requirements.py /tmp/overlay/setup.cfg rosa rover test --without-ros \
        > /tmp/overlay/requirements.txt \
    && echo 'numpy<2' > /tmp/overlay/constraints.txt \
    && python3 -m pip install --no-cache-dir --requirement /tmp/overlay/requirements.txt \
        --constraint /tmp/overlay/constraints.txt \
    && rm -r /tmp/overlay \
    && install --directory --owner=spaceros-user "${HOME}/overlay_ws"

# The user of the underlay, by its name: its number is the underlay's.
# hadolint ignore=DL3066
USER spaceros-user
WORKDIR ${HOME}/overlay_ws
