"""What the planner has to tell reaches the trace and whoever listens."""

from __future__ import annotations

from bt_executive.core.ports import Answer, ModelUse, Notice, Words


def test_notices_are_traced_and_words_are_heard(bench):
    lab, heard = bench(), []
    lab.brain.listener = heard.append
    news = [Words('text', 'I look'), Notice('No model.', ok=False), Notice('It is back.')]
    lab.planner.tells = news
    lab.tick()
    assert heard == [Words('text', 'I look')]
    assert 'Planner: No model.' in lab.messages('ERROR')
    assert 'Planner: It is back.' in lab.messages('OBSERVE')


def test_the_summary_has_what_the_model_cost(bench):
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


def test_the_state_tells_what_the_goal_under_way_has_cost(bench, propose):
    lab = bench(propose('list_nodes'), Answer('Done.'))
    lab.planner.costs = ModelUse(2, 300, 40, 0.5)
    for goal, calls in ({}, 2), ({'words': 'by hand', 'tool': 'list_nodes'}, 0):
        ended = len(lab.reporter.endings)
        lab.goal(**goal)
        lab.until(lambda before=ended: len(lab.reporter.endings) > before)
        assert lab.brain.state.trace.metrics['model']['calls'] == calls


def test_without_a_graph_the_model_is_told_so(bench, propose):
    lab = bench(propose('list_nodes'), Answer('Done.'))
    lab.goal()
    lab.until(lambda: lab.reporter.endings)
    assert lab.brain.planner.results[0].error_reason == 'There is no ROS graph here'
