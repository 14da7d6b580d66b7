# The executive with its embedded rover, on its own: no ROS distribution, no compiler in the image.
#   docker build --file docker/rover.Dockerfile --tag bt_executive:rover .
#   docker run --rm --interactive --tty bt_executive:rover
ARG PYTHON=3.11-slim-bookworm
FROM python:${PYTHON} AS wheels
# Debian's own versions of the release named above.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends g++ make \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN make wheels

FROM python:${PYTHON}
RUN --mount=type=bind,from=wheels,source=/source/dist,target=/dist \
    python -m pip install --no-cache-dir --no-compile --find-links /dist 'bt_executive[rosa,rover]==0.1.0' \
    && useradd --uid 1000 --create-home rover \
    && install --directory --owner=rover /home/rover/runs
USER 1000
WORKDIR /home/rover
ENV ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST
VOLUME /home/rover/runs
ENTRYPOINT ["bt-executive"]
CMD ["up"]
