"""The rover's model: a URDF that needs no transform but that of the base."""

from __future__ import annotations

from xml.etree.ElementTree import fromstring

from curiosity_viz.rover_model import rover_urdf


def test_one_link_with_wheels_body_and_mast() -> None:
    robot = fromstring(rover_urdf('base_footprint'))
    (link,) = robot.findall('link')
    assert link.attrib['name'] == 'base_footprint'
    assert not robot.findall('joint')
    wheels = [
        each
        for each in link.findall('visual')
        if each.find('material').attrib['name'] == 'dark'  # type: ignore[union-attr]
    ]
    assert len(wheels) == 6
    for visual in link.findall('visual'):
        geometry = visual.find('geometry')
        assert geometry is not None
        assert len(list(geometry)) == 1


def test_every_colour_that_is_used_is_there() -> None:
    robot = fromstring(rover_urdf('base'))
    names = {each.attrib['name'] for each in robot.findall('material')}
    used = {each.attrib['name'] for each in robot.iter('material')}
    assert used == names
