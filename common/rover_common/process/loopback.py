"""A socket that only this machine reaches."""

from __future__ import annotations

import errno
import socket

from rover_common.errors import UsageError

HOST = '127.0.0.1'
PORTS = 65536


def listen_on_loopback(
    wanted: int, first: int, last: int, option: str = '--port'
) -> socket.socket:
    """Listen on the given port, or, if that is 0, on the first free one from `first` to `last`.

    `option`: the command-line option of the port.

    It listens at once: two sockets that may reuse an address can both be bound to it, and only the
    first that listens has it.

    Raises:
        UsageError: The port is invalid, in use or refused by the system, or all of the range are.
    """
    if not 0 <= wanted < PORTS:
        raise UsageError(f'{option} is {wanted}: give a port from 1 to {PORTS - 1}.')
    ports = [wanted] if wanted else range(first, last + 1)
    fault = 'in use'
    for port in ports:
        made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((HOST, port))
            made.listen()
        except OSError as error:
            made.close()
            if error.errno != errno.EADDRINUSE:
                fault = f'refused by the system ({error.strerror})'
            continue
        return made
    which = f'Port {wanted} is' if wanted else f'The ports {first} to {last} are'
    raise UsageError(f'{which} {fault}: name another one with {option} N.')
