"""What a goal asks for, against what was done: each wish needs its act, and enough of it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from bt_executive.core.requested_acts import (
    ConfirmedAct,
    RequestedAct,
    RequestedActs,
    missing_acts,
)

PICTURE = RequestedAct('take a picture', ('shoot',))
THRICE = RequestedAct('take three pictures', ('shoot',), times=3)
RAISE = RequestedAct('raise the mast', ('raise',))
LEFT = RequestedAct('turn left 3 s', ('left',), amounts={'left': ('s', 3.0)})
RED = RequestedAct('pick the red box', ('pick',), {'what': 'red box'})
BLUE = RequestedAct('and the blue one', ('pick',), {'what': 'blue box'})
SHOT, RAISED, ANY = ConfirmedAct('shoot'), ConfirmedAct('raise'), ConfirmedAct('any')


def left(seconds: float) -> ConfirmedAct:
    return ConfirmedAct('left', {'s': seconds})


@dataclass
class Robot:
    """A robot whose tool `any` does what every other tool does."""

    so_already: tuple[str, ...] = ()

    def does(self, act: ConfirmedAct, asked: RequestedAct) -> bool:
        return act.tool in asked.tools or act.tool == 'any'

    def holds(self, asked: RequestedAct) -> bool:
        return any(each in self.so_already for each in asked.tools)

    def share(self, act: ConfirmedAct, asked: RequestedAct) -> float | None:
        name, value = asked.amounts.get(act.tool, ('', 0.0))
        return act.arguments[name] / value if name in act.arguments else None


@pytest.mark.parametrize(
    ('asked', 'done', 'clauses'),
    [
        ((), (), ()),
        ((RAISE, PICTURE), (RAISED, SHOT), ()),
        ((RAISE, PICTURE), (RAISED,), ('“take a picture”: no shoot was confirmed',)),
        ((RAISE, PICTURE), (SHOT,), ('“raise the mast”: no raise was confirmed',)),
        ((RAISE, PICTURE), (ANY,), ()),  # one act may be all of it
        ((PICTURE, PICTURE), (SHOT,), ()),  # the same wish in other words
        (
            (PICTURE, RAISE, PICTURE),
            (RAISED, SHOT),
            ('shoot is asked for 2 times, and 1 were confirmed',),
        ),
        ((PICTURE, RAISE, PICTURE), (SHOT, RAISED, SHOT), ()),
        (
            (RED, BLUE),
            (ConfirmedAct('pick'),),
            ('pick is asked for 2 times, and 1 were confirmed',),
        ),
        ((RED, BLUE), (ConfirmedAct('pick'), ConfirmedAct('pick')), ()),
        ((THRICE,), (SHOT, SHOT, SHOT), ()),
        ((THRICE,), (SHOT,), ('shoot is asked for 3 times, and 1 were confirmed',)),
        ((LEFT,), (left(3.0),), ()),
        ((LEFT,), (left(1.0), left(1.0), left(1.0)), ()),
        ((LEFT,), (left(1.0),), ('“turn left 3 s”: 33% of it was confirmed',)),
        ((LEFT, LEFT), (left(3.0),), ('“turn left 3 s”: 50% of it was confirmed',)),
        ((LEFT,), (ConfirmedAct('left'),), ()),  # how much it did is not known
        ((LEFT,), (ANY,), ()),
    ],
)
def test_what_was_asked_for_and_not_done_is_named(
    asked: tuple[RequestedAct, ...], done: tuple[ConfirmedAct, ...], clauses: tuple[str, ...]
) -> None:
    assert missing_acts(RequestedActs(asked), done, Robot()) == clauses


def test_a_tool_that_is_asked_for_by_itself_is_not_meant_elsewhere() -> None:
    perhaps = RequestedAct('one frame', ('shoot', 'raise'))
    asked, robot = RequestedActs((RAISE, perhaps)), Robot(so_already=('raise',))
    assert missing_acts(asked, (RAISED,), robot) == ('“one frame”: no shoot was confirmed',)
    assert missing_acts(RequestedActs((perhaps,)), (RAISED,), robot) == ()


def test_what_is_so_needs_no_act() -> None:
    assert (
        missing_acts(RequestedActs((RAISE, PICTURE)), (SHOT,), Robot(so_already=('raise',))) == ()
    )


def test_words_that_were_not_understood_are_named() -> None:
    (clause,) = missing_acts(RequestedActs(unknown='no encoder'), (SHOT,), Robot())
    assert clause == 'what the goal asks for was not understood: no encoder'
