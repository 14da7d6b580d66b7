"""By which way messages travel within a process."""

from __future__ import annotations

from functools import partial

from domains import next_domain
import psutil
import pytest
from spinning import spun_node
from std_msgs.msg import String
from waiting import wait_until

pytestmark = pytest.mark.ros
MESSAGES, LETTERS = 50, 50_000


def test_two_contexts_of_a_process_talk_as_two_processes_do() -> None:
    """Fast DDS's own way within a process can stand still for ever when a publisher ends."""
    domain, got = next_domain(), list[str]()
    with spun_node('reader', domain) as reader, spun_node('writer', domain) as writer:
        reader.create_subscription(String, 'letters', lambda text: got.append(text.data), 10)
        publisher = writer.create_publisher(String, 'letters', 10)
        wait_until(lambda: publisher.get_subscription_count(), 'the reader is known')
        before = sent_on_this_machine()
        for number in range(MESSAGES):
            publisher.publish(String(data='x' * LETTERS))
            wait_until(partial(has, got, number + 1), f'message {number}')
    assert sent_on_this_machine() - before > MESSAGES * LETTERS


def has(got: list[str], count: int) -> bool:
    return len(got) == count


def sent_on_this_machine() -> int:
    """Bytes that the kernel has carried from process to process, or within one."""
    return int(psutil.net_io_counters(pernic=True)['lo'].bytes_sent)
