"""Installs the eight Python packages of this repository and its data.

Here stands what setup.cfg cannot express: where the nested packages live, which data files a
ROS 2 installation expects in share/, and the range of Pythons, which colcon wants as plain text.
"""

from pathlib import Path

from setuptools import find_packages, setup

PACKAGE = 'bt_executive'
NESTED = {
    'rover_common': 'common',
    'gates': 'adapter',
    'curiosity_adapter': 'adapter',
    'curiosity_navigation': 'adapter',
    'curiosity_sim': 'sim',
    'curiosity_viz': 'viz',
    'embodied_nav': 'memory',
    'rover_vision': 'vision',
}


def share(folder: str, pattern: str) -> tuple[str, list[str]]:
    """The files of a folder that go to share/bt_executive/<folder>."""
    return f'share/{PACKAGE}/{folder}', sorted(str(path) for path in Path(folder).glob(pattern))


setup(
    python_requires='>=3.10,<3.13',
    packages=[
        *find_packages(include=[PACKAGE, f'{PACKAGE}.*']),
        *(name for folder in {*NESTED.values()} for name in find_packages(folder)),
    ],
    package_dir={name: f'{folder}/{name}' for name, folder in NESTED.items()},
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{PACKAGE}']),
        (f'share/{PACKAGE}', ['package.xml']),
        share('config', '*.*'),
        share('config/worlds', '*.yaml'),
        share('config/sros2', '*.xml'),
        share('config/robots/any_robot', '*.yaml'),
        share('config/robots/moveit_arm', '*.yaml'),
        share('config/robots/moveit_arm/sros2', '*.xml'),
        share('config/robots/nav2', '*.yaml'),
        share('config/robots/nav2/sros2', '*.xml'),
        share('config/robots/pyrobosim', '*.yaml'),
        share('config/robots/pyrobosim/sros2', '*.xml'),
        share('config/robots/turtlebot', '*.yaml'),
        share('config/robots/turtlebot/sros2', '*.xml'),
        share('config/network', '*.*'),
        share('interfaces/cmake', '*.cmake'),
        share('launch', '*.launch.py'),
    ],
)
