import pytest

from bt_executive.config import load_config
from bt_executive.console.commands import Ask, Goal, Help, Quit, Tool, Vocabulary
from bt_executive.errors import UsageError


@pytest.fixture(params=['A', 'B'])
def variant(request):
    return request.param


@pytest.fixture
def words(variant):
    return Vocabulary(load_config(overrides=[f'variant={variant}']))


@pytest.mark.parametrize(
    ('line', 'meaning'),
    [
        (':help', Help()),
        (':quit', Quit()),
        (':stop', Ask('stop')),
        (':tree', Ask('show_tree')),
        (':status', Tool('get_status')),
        (':cap', Tool('capture_and_score')),
        (':nudge', Tool('move_nudge')),
        (':mast_rotate', Tool('mast_rotate')),
        (':demo', Goal('demo_ground_texture')),
        (':demo_ground_texture', Goal('demo_ground_texture')),
        ('：rover_status', Goal('rover_status')),
        ('rover_status', Goal('rover_status')),
        ('  drive on until it is bright ', Goal('drive on until it is bright')),
        ('地面を調べて', Goal('地面を調べて')),
        ('   ', None),
    ],
)
def test_what_a_line_means(words, line, meaning):
    assert words.meaning(line) == meaning


@pytest.mark.parametrize('command', ['mast_open', 'mast_close'])
def test_the_mast_is_offered_in_variant_b_only(words, variant, command):
    if variant == 'B':
        assert words.meaning(f':{command}') == Tool(command)
    else:
        with pytest.raises(UsageError, match='Unknown command'):
            words.meaning(f':{command}')
    assert (f':{command}' in dict(words.help())) == (variant == 'B')


def test_an_unknown_command_says_which_are_known_and_the_nearest(words):
    with pytest.raises(
        UsageError, match=r"Unknown command ':captur'\. Did you mean :cap\?"
    ) as caught:
        words.meaning(':captur')
    for command in words.commands:
        assert command in str(caught.value)
