"""A link between network namespaces that is as bad as it is told to be.

A TUN device in each, and this process between them; not every kernel has netem. Standard input: a
line `DELAY_S LOSS [ADDRESS]` for each change, in both directions; a loss of 1 is a cut. With an
ADDRESS only what goes to or comes from that end changes.
"""

from __future__ import annotations

import ctypes
import fcntl
import heapq
import itertools
import os
import random
import select
import socket
import struct
import subprocess
import sys
import threading
import time

DEVICE = 'bt0'
SET_INTERFACE = 0x400454CA  # TUNSETIFF, with TUN and NO_PI
FLAGS = 0x0001 | 0x1000
NETWORK_NAMESPACE = 0x40000000  # CLONE_NEWNET
LARGEST = 65536
HEADER_BYTES = 20  # of IPv4
STDIN = 0


def main(ends: list[str]) -> None:
    """Carries packets until standard input is closed. `ends`: NAMESPACE=ADDRESS of each."""
    tunnels = {end.split('=')[1]: _tunnel(*end.split('=')) for end in ends}
    quality = dict.fromkeys(tunnels, (0.0, 0.0))  # delay in s, and loss
    rng = random.Random(5)
    numbers = itertools.count()
    in_flight: list[tuple[float, int, tuple[str, str], bytes]] = []
    print('ready', flush=True)
    while True:
        wait = max(0.0, in_flight[0][0] - time.monotonic()) if in_flight else None
        for readable in select.select([STDIN, *tunnels.values()], [], [], wait)[0]:
            if readable == STDIN:
                line = os.read(STDIN, 100).decode()
                if not line:
                    return
                for change in line.splitlines():
                    delay, loss, *only = change.split()
                    quality.update(dict.fromkeys(only or tunnels, (float(delay), float(loss))))
                continue
            packet = os.read(readable, LARGEST)
            direction = _direction(packet)
            if not tunnels.keys() >= {*direction}:
                continue  # multicast, IPv6: without a receiver here
            delay, loss = map(max, zip(*(quality[end] for end in direction), strict=True))
            if rng.random() >= loss:
                due = time.monotonic() + delay
                heapq.heappush(in_flight, (due, next(numbers), direction, packet))
        while in_flight and in_flight[0][0] <= time.monotonic():
            *_, direction, packet = heapq.heappop(in_flight)
            if all(
                quality[end][1] < 1.0 for end in direction
            ):  # a cut loses packets in flight, too
                os.write(tunnels[direction[1]], packet)


def _direction(packet: bytes) -> tuple[str, str]:
    """Source and destination address of an IPv4 packet."""
    if len(packet) < HEADER_BYTES or packet[0] >> 4 != 4:
        return '', ''
    return socket.inet_ntoa(packet[12:16]), socket.inet_ntoa(packet[16:20])


def _tunnel(namespace: str, address: str) -> int:
    """The device of a namespace: its packets are read from and written to the descriptor."""
    opened: list[int] = []

    def work() -> None:  # a thread may be in another namespace than its process
        with open(f'/run/netns/{namespace}') as there:
            if ctypes.CDLL(None, use_errno=True).setns(there.fileno(), NETWORK_NAMESPACE):
                raise OSError(ctypes.get_errno(), 'setns')
        opened.append(os.open('/dev/net/tun', os.O_RDWR))

    worker = threading.Thread(target=work)
    worker.start()
    worker.join()
    fcntl.ioctl(opened[0], SET_INTERFACE, struct.pack('16sH22x', DEVICE.encode(), FLAGS))
    for command in (f'address add {address}/24 dev {DEVICE}', f'link set {DEVICE} up'):
        subprocess.run(['ip', '-n', namespace, *command.split()], check=True)
    return opened[0]


if __name__ == '__main__':
    main(sys.argv[1:])
