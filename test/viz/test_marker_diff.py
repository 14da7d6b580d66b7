"""Only differences are sent, and a viewer that applies them sees exactly what there is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from curiosity_viz.marker_diff import MarkerKeeper
from curiosity_viz.markers import Key, Marker, text_marker

scenes = st.dictionaries(
    st.tuples(st.sampled_from(['mode', 'trace']), st.integers(0, 3)), st.sampled_from(['a', 'b'])
)


def markers(scene: dict[Key, str]) -> list[Marker]:
    return [
        text_marker(name, number, text, (0.0, 0.0, 0.0), 1.0, (1.0, 1.0, 1.0, 1.0))
        for (name, number), text in scene.items()
    ]


@pytest.mark.slow
@given(st.lists(st.tuples(scenes, st.booleans())))
def test_a_viewer_that_follows_sees_what_there_is(told: list[tuple[dict[Key, str], bool]]) -> None:
    keeper = MarkerKeeper()
    seen: dict[Key, Marker] = {}
    for scene, everything in told:
        changes = keeper.all(markers(scene)) if everything else keeper.changes(markers(scene))
        if changes.afresh:
            seen = {}
        for key in changes.gone:
            del seen[key]
        assert changes.afresh or all(seen.get(new.key) != new for new in changes.new)
        seen |= {new.key: new for new in changes.new}
        assert list(seen.values()) == [seen[key] for key in seen]
        assert {key: marker.text for key, marker in seen.items()} == scene


def test_nothing_new_is_nothing_to_send() -> None:
    keeper = MarkerKeeper()
    assert keeper.all([])
    assert not keeper.changes([])
