"""What the planner has to tell reaches the trace and whoever listens."""

from __future__ import annotations

from tree_bench import MakeBench, Propose

from bt_executive.core.executive_ports import Answer, Notice, StreamChunk
from rover_common.llm.model_usage import ModelUse


def test_notices_are_traced_and_words_are_heard(bench: MakeBench) -> None:
    lab = bench()
    heard: list[StreamChunk] = []
    lab.recast(listener=heard.append)
    lab.planner.tells = [
        StreamChunk('text', 'I look'),
        Notice('No model.', ok=False),
        Notice('It is back.'),
    ]
    lab.tick()
    assert heard == [StreamChunk('text', 'I look')]
    assert 'Planner: No model.' in lab.messages('ERROR')
    assert 'Planner: It is back.' in lab.messages('OBSERVE')


def test_the_summary_has_what_the_model_cost(bench: MakeBench) -> None:
    lab = bench(Answer('Done.'))
    lab.planner.costs = ModelUse(2, 300, 40, 0.5)
    lab.goal()
    lab.until(lambda: lab.reporter.endings)
    assert lab.reporter.endings[0]['model'] == {
        'calls': 2,
        'input_tokens': 300,
        'output_tokens': 40,
        'cost_usd': 0.5,
    }


def test_the_state_tells_what_the_goal_under_way_has_cost(
    bench: MakeBench, propose: Propose
) -> None:
    lab = bench(propose('list_nodes'), Answer('Done.'))
    lab.planner.costs = ModelUse(2, 300, 40, 0.5)
    lab.goal()
    lab.until(lambda: len(lab.reporter.endings) == 1)
    assert lab.context.state.trace.metrics['model']['calls'] == 2
    lab.goal('by hand', tool='list_nodes')
    lab.until(lambda: len(lab.reporter.endings) == 2)
    assert lab.context.state.trace.metrics['model']['calls'] == 0


def test_without_a_graph_the_model_is_told_so(bench: MakeBench, propose: Propose) -> None:
    lab = bench(propose('list_nodes'), Answer('Done.'))
    lab.goal()
    lab.until(lambda: lab.reporter.endings)
    assert lab.planner.results[0].error_reason == 'There is no ROS graph here'
