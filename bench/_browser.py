"""Chromium, driven by its own protocol: pages that are looked at, clicked and measured."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
import itertools
import json
from pathlib import Path
import re
import shutil
import subprocess
import time
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect

CHROMIUM = shutil.which('chromium') or shutil.which('chromium-browser') or ''
FLAGS = (
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--hide-scrollbars',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-dev-shm-usage',
    '--remote-debugging-port=0',
    # One process draws all pages: a new one for each is a third of what a page takes.
    '--renderer-process-limit=1',
    '--disable-site-isolation-trials',
    '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup',  # pages that nobody sees
)
# Its parent may be killed, as by Ctrl-C in a suite.
WITH_ITS_STARTER = ('setpriv', '--pdeathsig', 'KILL')
LIMIT_S = 60.0
STEP_S = 0.03
NAVIGATED = ('Inspected target navigated or closed', 'Execution context was destroyed.')


class NavigatedError(AssertionError):
    """The tab has gone to another page before it answered."""


class Page:
    """One tab. `errors`: what its console complained of."""

    def __init__(self, address: str) -> None:
        self._ending = ExitStack()
        self._socket: ClientConnection = self._ending.enter_context(
            connect(address, max_size=None, ping_interval=None)
        )
        self._numbers = itertools.count(1)
        self.errors: list[str] = []
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.call(f'{domain}.enable')

    def call(self, method: str, **parameters: Any) -> Any:
        """Calls the browser's protocol."""
        number = next(self._numbers)
        self._socket.send(json.dumps({'id': number, 'method': method, 'params': parameters}))
        while True:
            message = json.loads(self._socket.recv(timeout=LIMIT_S))
            self._note(message)
            if message.get('id') == number:
                fault = message.get('error')
                if fault and fault['message'] in NAVIGATED:
                    raise NavigatedError(fault['message'])
                assert fault is None, fault
                return message['result']

    def open(self, url: str) -> None:
        """Navigate to an address."""
        self.call('Page.navigate', url=url)

    def do(self, script: str) -> Any:
        """The value of an expression, awaited if it is a promise."""
        result = self.call(
            'Runtime.evaluate', expression=script, awaitPromise=True, returnByValue=True
        )
        assert 'exceptionDetails' not in result, result['exceptionDetails']
        return result['result'].get('value')

    def until(self, script: str, limit_s: float = LIMIT_S) -> Any:
        """Waits until an expression is true; returns its value."""
        by = time.monotonic() + limit_s
        while True:
            value = None
            with suppress(NavigatedError):  # the next page is requested in a moment
                value = self.do(
                    f'(() => {{ try {{ const it = {script}; return it instanceof Node || it; }}'
                    ' catch { return null; } })()'
                )
            if value:
                return value
            assert time.monotonic() < by, f'never: {script}\n{self.errors}\n{self.text()[:2000]}'
            time.sleep(STEP_S)

    def text(self) -> str:
        """All that can be read on the page."""
        return str(self.do('document.body.innerText'))

    def key(self, key: str, code: str = '', modifiers: int = 0) -> None:
        """Presses and releases a key. `modifiers`: 2 is Ctrl."""
        for kind in ('keyDown', 'keyUp'):
            self.call('Input.dispatchKeyEvent', type=kind, key=key, code=code, modifiers=modifiers)

    def size(self, width: int, height: int, dark: bool = False) -> None:
        """The window, and the reader's wish for dark colours."""
        self.call(
            'Emulation.setDeviceMetricsOverride',
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}
        self.call('Emulation.setEmulatedMedia', features=[scheme])

    def picture(self, path: Path, whole: bool = False) -> None:
        """Saves what is seen."""
        taken = self.call('Page.captureScreenshot', captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(taken['data']))

    def leave(self) -> None:
        """Goes to an empty page, with the window and the colours of a new tab."""
        self.open('about:blank')
        self.until("location.href === 'about:blank'")
        self.call('Emulation.clearDeviceMetricsOverride')  # else the page before is drawn again
        self.call('Emulation.setEmulatedMedia', features=[])
        self.errors.clear()

    def close(self) -> None:
        """Close the tab: one that is only left continues to draw and to poll its server."""
        self.call('Page.close')
        self._ending.close()

    def _note(self, message: dict[str, Any]) -> None:
        parameters = message.get('params', {})
        if message.get('method') == 'Runtime.exceptionThrown':
            self.errors.append(str(parameters['exceptionDetails'].get('exception', parameters)))
        elif message.get('method') == 'Runtime.consoleAPICalled':
            self.errors.append(f'{parameters["type"]}: {parameters["args"]}')
        elif message.get('method') == 'Log.entryAdded':
            self.errors.append(f'{parameters["entry"]["level"]}: {parameters["entry"]["text"]}')


class Browser:
    """A browser that runs."""

    def __init__(self, port: int) -> None:
        self._address = f'http://127.0.0.1:{port}'

    def page(self) -> Page:
        """A new tab."""
        made = httpx.put(f'{self._address}/json/new', timeout=LIMIT_S).json()
        return Page(made['webSocketDebuggerUrl'])


@contextmanager
def running_browser(folder: Path) -> Iterator[Browser]:
    """Start Chromium with a profile of its own in `folder`; it ends with this thread, too."""
    log = folder / 'chromium.log'
    with log.open('wb') as out:
        profile = f'--user-data-dir={folder / "profile"}'
        process = subprocess.Popen(
            [*WITH_ITS_STARTER, CHROMIUM, *FLAGS, profile, 'about:blank'],
            stdout=out,
            stderr=subprocess.STDOUT,
        )
        try:
            yield Browser(_port_in(log))
        finally:
            process.terminate()
            process.wait(LIMIT_S)


def _port_in(log: Path) -> int:
    by = time.monotonic() + LIMIT_S
    while time.monotonic() < by:
        found = re.search(r'ws://127\.0\.0\.1:(\d+)/', log.read_text(errors='replace'))
        if found:
            return int(found[1])
        time.sleep(STEP_S)
    raise AssertionError(log.read_text(errors='replace'))
