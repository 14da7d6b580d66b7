"""What the planner has to tell besides its outputs: live words to listeners, notices to the trace.

Words are fleeting: they go to whoever shows them and are not kept. What a model said in the end
is in the trace as HYPOTHESIZE.
"""

from __future__ import annotations

from bt_executive.core.executive_ports import Notice
from bt_executive.tree.tree_ports import Ports


def overhear(ports: Ports) -> None:
    """Fetches the planner's news; part of each tick."""
    for news in ports.planner.news():
        if isinstance(news, Notice):
            ports.tracer.emit(
                'OBSERVE' if news.ok else 'ERROR',
                f'Planner: {news.sentence}',
                ok=news.ok,
                error_reason=None if news.ok else news.sentence,
            )
        else:
            ports.listener(news)
