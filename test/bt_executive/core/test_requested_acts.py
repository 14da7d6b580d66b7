"""What a goal asks for, against what was done: each wish needs its act, and enough of it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from bt_executive.core.requested_acts import AskedAct, AskedFor, DoneAct, lacking

PICTURE = AskedAct('take a picture', ('shoot',))
THRICE = AskedAct('take three pictures', ('shoot',), times=3)
RAISE = AskedAct('raise the mast', ('raise',))
LEFT = AskedAct('turn left 3 s', ('left',), amounts={'left': ('s', 3.0)})
RED = AskedAct('pick the red box', ('pick',), {'what': 'red box'})
BLUE = AskedAct('and the blue one', ('pick',), {'what': 'blue box'})
SHOT, RAISED, ANY = DoneAct('shoot'), DoneAct('raise'), DoneAct('any')


def left(seconds: float) -> DoneAct:
    return DoneAct('left', {'s': seconds})


@dataclass
class Robot:
    """A robot whose tool `any` does what every other tool does."""

    so_already: tuple[str, ...] = ()

    def does(self, act: DoneAct, asked: AskedAct) -> bool:
        return act.tool in asked.tools or act.tool == 'any'

    def holds(self, asked: AskedAct) -> bool:
        return any(each in self.so_already for each in asked.tools)

    def share(self, act: DoneAct, asked: AskedAct) -> float | None:
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
        ((RED, BLUE), (DoneAct('pick'),), ('pick is asked for 2 times, and 1 were confirmed',)),
        ((RED, BLUE), (DoneAct('pick'), DoneAct('pick')), ()),
        ((THRICE,), (SHOT, SHOT, SHOT), ()),
        ((THRICE,), (SHOT,), ('shoot is asked for 3 times, and 1 were confirmed',)),
        ((LEFT,), (left(3.0),), ()),
        ((LEFT,), (left(1.0), left(1.0), left(1.0)), ()),
        ((LEFT,), (left(1.0),), ('“turn left 3 s”: 33% of it was confirmed',)),
        ((LEFT, LEFT), (left(3.0),), ('“turn left 3 s”: 50% of it was confirmed',)),
        ((LEFT,), (DoneAct('left'),), ()),  # how much it did is not known
        ((LEFT,), (ANY,), ()),
    ],
)
def test_what_was_asked_for_and_not_done_is_named(
    asked: tuple[AskedAct, ...], done: tuple[DoneAct, ...], clauses: tuple[str, ...]
) -> None:
    assert lacking(AskedFor(asked), done, Robot()) == clauses


def test_a_tool_that_is_asked_for_by_itself_is_not_meant_elsewhere() -> None:
    perhaps = AskedAct('one frame', ('shoot', 'raise'))
    asked, robot = AskedFor((RAISE, perhaps)), Robot(so_already=('raise',))
    assert lacking(asked, (RAISED,), robot) == ('“one frame”: no shoot was confirmed',)
    assert lacking(AskedFor((perhaps,)), (RAISED,), robot) == ()


def test_what_is_so_needs_no_act() -> None:
    assert lacking(AskedFor((RAISE, PICTURE)), (SHOT,), Robot(so_already=('raise',))) == ()


def test_words_that_were_not_understood_are_named() -> None:
    (clause,) = lacking(AskedFor(unknown='no encoder'), (SHOT,), Robot())
    assert clause == 'what the goal asks for was not understood: no encoder'
