"""The next decision: what the goal asks for, what has been learned, and what is offered."""

from __future__ import annotations

from collections.abc import Sequence

from bt_executive.planner.offline import wording
from bt_executive.planner.offline.beliefs import INTERRUPTED, Beliefs, Place, form, number
from bt_executive.planner.offline.decision import Act, Decision, Say
from bt_executive.planner.offline.experience import Experience, Step
from bt_executive.planner.offline.intent import Intent, understand
from bt_executive.planner.offline.search import broken, look, recover, seek, with_mast_stowed
from bt_executive.planner.offline.toolbox import Toolbox
from bt_executive.planner.offline.travel import can_travel, travel


def decide(experience: Experience, tools: Toolbox) -> Decision:
    """The next step for the goal of a conversation. The same input gives the same decision."""
    intent = understand(experience.goal)
    beliefs = form(experience.steps)
    last = beliefs.last
    if last is not None and last.tool == 'abort':
        return Say(wording.gave_up(intent.language, str(last.arguments.get('reason', ''))))
    if intent.place is not None and intent.place not in beliefs.reached:
        return _for_a_place(beliefs, tools, intent, intent.place)
    if intent.kind == 'place' and last is not None:
        return Say(wording.arrived(intent.language, number(last.data.get('distance'))))
    if intent.kind == 'light' and 'capture_and_score' in tools:
        return _for_light(beliefs, tools, intent)
    if intent.kind == 'picture' and 'capture_and_score' in tools:
        return _for_one_picture(beliefs, tools, intent)
    if intent.kind == 'status' and 'get_status' in tools:
        return _for_status(beliefs, tools, intent)
    commands = [tool for choice in intent.commands if (tool := tools.first(*choice))]
    if commands and len(commands) == len(intent.commands):
        return _for_commands(beliefs, tools, intent, commands, experience.steps)
    return _cannot(tools, intent)


def _for_a_place(beliefs: Beliefs, tools: Toolbox, intent: Intent, place: Place) -> Decision:
    if not can_travel(tools):
        return _cannot(tools, intent)
    step = travel(beliefs, place)
    if isinstance(step, str):
        return _give_up(tools, intent, step)
    return with_mast_stowed(step, beliefs, tools)


def _for_light(beliefs: Beliefs, tools: Toolbox, intent: Intent) -> Decision:
    if beliefs.captures and beliefs.captures[-1].is_good and not beliefs.changed:
        return Say(wording.good_picture(intent.language, beliefs))
    step = seek(beliefs, tools)
    return step if isinstance(step, Act) else _give_up(tools, intent, step)


def _for_one_picture(beliefs: Beliefs, tools: Toolbox, intent: Intent) -> Decision:
    if beliefs.captures:
        return Say(wording.picture(intent.language, beliefs.captures[-1]))
    if reason := broken(beliefs):
        return _give_up(tools, intent, reason)
    return recover(beliefs, tools) or look(beliefs, tools)


def _for_status(beliefs: Beliefs, tools: Toolbox, intent: Intent) -> Decision:
    if beliefs.last is None:
        return Act('get_status', 'I ask the rover for its status.')
    if beliefs.last.ok:
        return Say(wording.status(intent.language, beliefs.status))
    if beliefs.failures.get('get_status', 0) < 3:
        return Act('get_status', f'That failed ({beliefs.last.reason}); I ask once more.')
    return _give_up(tools, intent, f'get_status failed: "{beliefs.last.reason}".')


def _for_commands(
    beliefs: Beliefs,
    tools: Toolbox,
    intent: Intent,
    commands: Sequence[str],
    steps: Sequence[Step],
) -> Decision:
    last, done = beliefs.last, _carried_out(commands, steps)
    if done == len(commands):
        picture = beliefs.captures[-1] if 'capture_and_score' in commands else None
        return Say(wording.done(intent.language, commands, picture))
    tool = commands[done]
    if last is None or last.ok or last.reason == INTERRUPTED:
        return Act(tool, f'The goal asks for {tool}.')
    act = _prepared(Act(tool, f'I try {tool} again.'), beliefs, tools)
    if last.tool == tool and act.tool != tool:
        return act
    return _give_up(tools, intent, f'{last.tool} did not work: "{last.reason}".')


def _carried_out(commands: Sequence[str], steps: Sequence[Step]) -> int:
    """How many of the commands have been carried out, in their order."""
    done = 0
    for step in steps:
        done += done < len(commands) and step.ok and step.tool == commands[done]
    return done


def _prepared(act: Act, beliefs: Beliefs, tools: Toolbox) -> Act:
    if act.tool == 'capture_and_score':
        return look(beliefs, tools)
    return with_mast_stowed(act, beliefs, tools)


def _cannot(tools: Toolbox, intent: Intent) -> Decision:
    words = wording.cannot(intent.language, list(tools.schemas))
    if 'abort' in tools:
        return Act('abort', 'I cannot do that and say what I can.', {'reason': words})
    return Say(words)


def _give_up(tools: Toolbox, intent: Intent, reason: str) -> Decision:
    if 'abort' in tools:
        return Act('abort', 'I cannot reach the goal and say why.', {'reason': reason})
    return Say(wording.gave_up(intent.language, reason))
