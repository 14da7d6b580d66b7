"""A process that answers every request for a picture at once: the other side of `vision_gateway`.

Its arguments are the port, the token and the file with the body of an answer, in which REQUEST_ID
stands for that of the request.
"""

from __future__ import annotations

import contextlib
from http.client import HTTPConnection
import json
from pathlib import Path
from queue import SimpleQueue
import sys
import threading

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

PATH = '/api/v2/vision/capture-response'
STREAM = '/api/events/stream'


def main(port: int, token: str, body: bytes) -> None:
    """Serves until the socket is closed."""
    headers = {'Authorization': f'Bearer {token}', 'Content-Type': 'application/json'}
    posting = HTTPConnection('127.0.0.1', port)
    uri = f'ws://127.0.0.1:{port}{STREAM}'
    with connect(uri, additional_headers=headers, ping_interval=None) as socket:
        hello = {'type': 'hello', 'client_id': 'bench', 'caps': ['vision.desktop']}
        socket.send(json.dumps(hello))
        requests: SimpleQueue[str | bytes] = SimpleQueue()
        reading = threading.Thread(target=_read, args=(socket, requests), daemon=True)
        reading.start()
        while text := requests.get():
            request_id = json.loads(text)['data']['request_id'].encode()
            posting.request('POST', PATH, body.replace(b'REQUEST_ID', request_id), headers)
            posting.getresponse().read()


def _read(socket: ClientConnection, requests: SimpleQueue[str | bytes]) -> None:
    """Keeps the connection alive, however much there is to answer."""
    with contextlib.suppress(ConnectionClosed):
        for text in socket:
            requests.put(text)
    requests.put('')


if __name__ == '__main__':
    main(int(sys.argv[1]), sys.argv[2], Path(sys.argv[3]).read_bytes())
