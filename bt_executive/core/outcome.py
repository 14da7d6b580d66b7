"""What a result and the end of a goal mean, in words and as an outcome."""

from __future__ import annotations

from bt_executive.core.ports import ToolResult
from bt_executive.core.readable import fields_in_words
from bt_executive.core.state import Outcome, Task

# Of a tool that a pause, a rest or a better goal ended; the model hears these very words.
INTERRUPTED = ToolResult(ok=False, error_reason='Interrupted before it was done')

EDITED_TO = 'arguments_edited_to'  # in the data of a result that the model gets


def in_words(result: ToolResult) -> str:
    """A result as one short sentence."""
    if not result.ok:
        return result.error_reason
    if result.score is not None:
        return f'score {result.score:.2f}, ' + (
            'good' if result.data.get('is_good') else 'too dark'
        )
    answer = result.data.get('answer')
    if isinstance(answer, str) and answer:  # a tool that answers in words
        return answer
    facts = {key: value for key, value in result.data.items() if not isinstance(value, dict)}
    return fields_in_words(facts, result.units) or 'done'


def end_of_goal(
    task: Task, answer: str | None, result: ToolResult, last_is_good: bool | None
) -> tuple[Outcome, str]:
    """How a finished goal counts. The model's word is checked against what was measured.

    `answer`: the planner's final words; None for a single tool by hand, which counts by its
    result. A task whose `done_when` is `good_picture` is reached only if the last picture is good.
    """
    if answer is None:
        return ('reached' if result.ok else 'failed'), in_words(result)
    if task.done_when == 'good_picture' and not last_is_good:
        return 'gave_up', f'{answer} (Not counted as reached: the last picture was not good.)'
    return 'reached', answer
