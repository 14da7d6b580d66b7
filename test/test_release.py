"""Versions and Pythons stand in several files; here they are compared."""

from __future__ import annotations

from configparser import ConfigParser
import re
from xml.etree import ElementTree

from papers import ROOT
import yaml

INTERFACES = [
    ROOT / 'interfaces' / name for name in ('bt_executive_interfaces', 'curiosity_rosa_demo')
]


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding='utf-8')


def test_the_latest_version_of_the_changelog_is_the_one_of_the_packages() -> None:
    unreleased, latest = re.findall(r'^## \[(.+?)\]', read('CHANGELOG.md'), re.MULTILINE)[:2]
    assert unreleased == 'Unreleased'
    setup_cfg = ConfigParser()
    setup_cfg.read(ROOT / 'setup.cfg', encoding='utf-8')
    assert setup_cfg['metadata']['version'] == latest
    for folder in (ROOT, *INTERFACES):
        assert ElementTree.parse(folder / 'package.xml').getroot().findtext('version') == latest
    for folder in INTERFACES:
        assert f'\nversion = "{latest}+bt"\n' in (folder / 'pyproject.toml').read_text('utf-8')


def test_the_project_wants_the_very_wheels_of_its_interface_packages() -> None:
    """A local version: no package of that name on PyPI can come in its place."""
    wanted = set(re.findall(r'^  (\S+==\S+\+bt)$', read('setup.cfg'), re.MULTILINE))
    found = set()
    for path in (ROOT / 'interfaces').glob('**/pyproject.toml'):
        text = path.read_text(encoding='utf-8')
        name, version = (
            re.findall(rf'^{key} = "(.+)"', text, re.M)[0] for key in ('name', 'version')
        )
        found.add(f'{name}=={version}')
    assert wanted == found


def test_the_hosted_ci_runs_make_test_on_every_python_that_is_supported() -> None:
    (job,) = yaml.safe_load(read('.github/workflows/ci.yml'))['jobs'].values()
    assert [step['run'] for step in job['steps'] if 'run' in step] == ['make test']
    supported = re.search(r"python_requires='>=3\.(\d+),<3\.(\d+)'", read('setup.py'))
    assert supported is not None
    minors = range(int(supported[1]), int(supported[2]))
    assert job['strategy']['matrix']['python'] == [f'3.{minor}' for minor in minors]
