"""`bt-executive vision-client`: shows the gateway this screen, a webcam, or both."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
import os
from pathlib import Path
import re
import socket

from rover_common.config.settings import Config
from rover_common.errors import UsageError
from rover_common.process.process_end import ending_signals
from rover_common.text_sanitizing import one_line
from rover_vision.client.screen_capture import Capture, ScreenCapture
from rover_vision.client.vision_client import Address, VisionClient
from rover_vision.gateway.gateway_access import TOKEN_FILE, TOKEN_VARIABLE
from rover_vision.vision_folder import PORT_FILE, vision_folder

DONE, REFUSED = 0, 1


def run_client(options: argparse.Namespace, config: Config, namespace: str) -> int:
    """Serve until it is interrupted; return the exit code.

    Raises:
        UsageError: Screen, camera or token cannot be had.
    """
    captures = _captures(options)
    folder = vision_folder(config, os.environ, namespace)
    host, port = _address(options.gateway, config)
    token = _token(os.environ, folder)
    client_id = options.id or f'{socket.gethostname()}-{os.environ.get("USER", "user")}'
    client = VisionClient(
        lambda: Address(host, port or find_port(folder, config.vision.port), token),
        client_id,
        captures,
        lambda line: print(one_line(line), flush=True),
    )
    with ending_signals() as ending:
        ending.then(client.end)
        return DONE if client.run() else REFUSED


def _captures(options: argparse.Namespace) -> dict[str, Capture]:
    if not 64 <= options.max_edge <= 16384:
        raise UsageError(f'--max-edge is {options.max_edge}: give 64 to 16384 pixels.')
    found: dict[str, Capture] = {}
    if not options.no_screen:
        found['desktop'] = ScreenCapture(options.screen, options.max_edge)
    if options.camera:
        from rover_vision.client.webcam import WebcamCapture

        found['camera'] = WebcamCapture(options.camera, _size(options.size), options.max_edge)
    if not found:
        raise UsageError('There is nothing to show: leave out --no-screen, or give --camera.')
    return found


def _size(text: str) -> tuple[int, int] | None:
    if not text:
        return None
    found = re.fullmatch(r'([1-9]\d{1,4})x([1-9]\d{1,4})', text)
    if found is None:
        raise UsageError(f'--size is {text!r}: write it like 1280x720.')
    return int(found[1]), int(found[2])


def _address(text: str, config: Config) -> tuple[str, int]:
    """Return host and port of the gateway; port 0: the current one."""
    if not text:
        return config.vision.host, 0
    host, colon, port = text.rpartition(':')
    if not colon or not re.fullmatch('[0-9]{1,5}', port) or not 0 < int(port) < 65536:
        raise UsageError(f'--gateway is {text!r}: write it like 127.0.0.1:55601.')
    return host, int(port)


def find_port(folder: Path, configured: int) -> int:
    """Return the port of the running gateway of a folder, else the configured one."""
    try:
        port = (folder / PORT_FILE).read_text(encoding='ascii').strip()
    except (OSError, UnicodeDecodeError):
        return configured
    return int(port) if re.fullmatch('[0-9]{1,5}', port) else configured


def _token(environment: Mapping[str, str], folder: Path) -> str:
    given = environment.get(TOKEN_VARIABLE, '').strip()
    if given:
        return given
    try:
        return (folder / TOKEN_FILE).read_text(encoding='ascii').strip()
    except (OSError, UnicodeDecodeError):
        raise UsageError(
            f'There is no token in {str(folder / TOKEN_FILE)!r}: start `bt-executive up` first, '
            f'or set {TOKEN_VARIABLE} to that of the gateway.'
        ) from None
