"""What was said last is heard by a reader that pauses; one that hangs holds nobody up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
import os
import signal
import subprocess
import sys

from domains import next_domain
from known import known
import pytest
from warm import WarmPopen

pytestmark = [pytest.mark.ros, pytest.mark.process]
SAID = 60  # of 20 kB each: more than a socket keeps for a reader that does not read
LIMIT_S = 60.0
SPEAKER = """
import sys
from rclpy.node import Node
from std_msgs.msg import String
from rover_common.ros import acknowledgements
from rover_common.ros.run_node import run_node

class Speaker(Node):
    def __init__(self, options):
        super().__init__('speaker', **options.node_arguments())
        self.words = self.create_publisher(String, 'words', 1000)
        self.create_timer(0.01, self.look)

    def look(self):
        if self.words.get_subscription_count():
            print('listened to', flush=True)

    def shut_down(self, executor):
        for number in range(int(sys.argv[2])):
            self.words.publish(String(data='x' * 20000))
        print('said', flush=True)

acknowledgements.LIMIT_S = float(sys.argv[1])
run_node(Speaker, [])
"""
LISTENER = """
import sys
import rclpy
from std_msgs.msg import String

rclpy.init()
node = rclpy.create_node('listener')
heard = []
node.create_subscription(String, 'words', heard.append, 1000)
while len(heard) < int(sys.argv[1]):
    rclpy.spin_once(node)
print('heard', len(heard), flush=True)
"""


@contextmanager
def process(script: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, '-c', script, *map(str, arguments)]
    with WarmPopen(command, stdout=subprocess.PIPE, text=True) as started:
        try:
            yield started
        finally:
            started.kill()


@contextmanager
def a_speaker_whose_listener_pauses(
    monkeypatch: pytest.MonkeyPatch, limit_s: float
) -> Iterator[tuple[subprocess.Popen[str], subprocess.Popen[str]]]:
    """Speaker and listener at the moment when the first one has said its last words."""
    monkeypatch.setenv('ROS_DOMAIN_ID', str(next_domain()))
    with ExitStack() as started:
        listener = started.enter_context(process(LISTENER, SAID))
        speaker = started.enter_context(process(SPEAKER, limit_s, SAID))
        said = known(speaker.stdout)
        assert said.readline() == 'listened to\n'
        os.kill(listener.pid, signal.SIGSTOP)
        speaker.terminate()
        while said.readline() != 'said\n':
            pass
        yield speaker, listener


def test_a_reader_that_pauses_hears_all_that_was_said_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with a_speaker_whose_listener_pauses(monkeypatch, LIMIT_S) as (speaker, listener):
        with suppress(subprocess.TimeoutExpired):  # one that does not wait leaves meanwhile
            speaker.wait(timeout=0.5)
        os.kill(listener.pid, signal.SIGCONT)
        assert listener.communicate(timeout=LIMIT_S)[0] == f'heard {SAID}\n'
        assert speaker.wait(timeout=LIMIT_S) == 0


def test_a_reader_that_hangs_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with a_speaker_whose_listener_pauses(monkeypatch, 0.01) as (speaker, _):
        assert speaker.wait(timeout=LIMIT_S) == 0
