"""Reads an interface package that others wrote, and writes it as one that compiles to a wheel.

Nothing of the package is run. What is not of the grammar of ROS is refused with file and line. Its
own build file is not used: it may ask for what wheels do not have, and build programs. Nor is its
manifest: ament refuses one for a maintainer's address.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass, replace
import hashlib
import io
import json
from pathlib import Path
import re
import shutil
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from rosidl_adapter.parser import (
    is_valid_message_name,
    is_valid_package_name,
    parse_message_string,
)

from rover_common.errors import UsageError

MANIFEST = 'package.xml'
# Kind of interface → how many lines `---` it has.
DIVIDERS = {'msg': 0, 'srv': 1, 'action': 2}
DIVIDER = '---'
OF_ROS_1 = ('time', 'duration')
VERSION = re.compile(r'\d+\.\d+\.\d+')
LONGEST_FILE = 1_000_000  # bytes


@dataclass(frozen=True)
class Use:
    """A type of a field: its package, its name, the place of the field, its file."""

    package: str
    name: str
    where: str
    file: Path


@dataclass(frozen=True)
class ForeignPackage:
    """An interface package in a folder.

    `files`: its interfaces, below the folder. `uses`: the types of their fields, of any package.
    """

    folder: Path
    name: str
    version: str
    license: str
    files: Sequence[Path]
    uses: Sequence[Use]

    @property
    def needs(self) -> list[str]:
        """The other packages whose types it uses."""
        return sorted({each.package for each in self.uses} - {self.name})

    def messages(self) -> set[str]:
        """Returns the names of its messages."""
        return {path.stem for path in self.files if path.suffix == '.msg'}

    def types(self) -> dict[str, Path]:
        """Returns its interfaces as ROS names them, such as `std_srvs/srv/Trigger`."""
        return {f'{self.name}/{each.parent.name}/{each.stem}': each for each in self.files}

    def part(self, files: Collection[Path]) -> ForeignPackage:
        """Returns the package with these of its interfaces alone."""
        kept = [each for each in self.files if each in files]
        return replace(self, files=kept, uses=[each for each in self.uses if each.file in files])


def has_interfaces(folder: Path) -> bool:
    """Returns whether a folder with a manifest has interfaces."""
    return any(any(folder.glob(f'{kind}/*.{kind}')) for kind in DIVIDERS)


def name_in(manifest: Path) -> str:
    """Returns the name in a manifest.

    Raises:
        UsageError: The manifest cannot be read, or has no name that a package can have.
    """
    return _name(_manifest(manifest), manifest)


def read_package(folder: Path) -> ForeignPackage:
    """Reads a package.

    Raises:
        UsageError: It is no interface package of ROS 2, or one of its files has an error.
    """
    path = folder / MANIFEST
    manifest = _manifest(path)
    name, version = _name(manifest, path), (manifest.findtext('version') or '').strip()
    if not VERSION.fullmatch(version):
        raise UsageError(
            f'{path}: version is {version!r:.50}: write three numbers, such as 1.0.0.'
        )
    if 'catkin' in [each.text for each in manifest.findall('buildtool_depend')]:
        raise UsageError(
            f'{path}: {name} is a package of ROS 1 (catkin); only ROS 2 can be added.'
        )
    if not has_interfaces(folder):
        raise UsageError(f'{folder} has no interfaces: nothing in msg/, srv/ or action/.')
    files = sorted(each for kind in DIVIDERS for each in folder.glob(f'{kind}/*.{kind}'))
    uses = [use for file in files for use in _read_interface(name, file, folder)]
    license_ = ' '.join((manifest.findtext('license') or 'not declared').split())
    below = [each.relative_to(folder) for each in files]
    return ForeignPackage(folder, name, version, license_, below, uses)


def _manifest(path: Path) -> ElementTree.Element:
    try:
        return ElementTree.fromstring(_text(path))
    except FileNotFoundError:
        raise UsageError(
            f'{path.parent} has no {MANIFEST}: name the folder of a ROS package.'
        ) from None
    except ElementTree.ParseError as error:
        raise UsageError(f'{path} is no XML: {error}.') from None


def _name(manifest: ElementTree.Element, path: Path) -> str:
    name = (manifest.findtext('name') or '').strip()
    if not is_valid_package_name(name):
        raise UsageError(f'{path}: name is {name!r:.80}, which no ROS package can have.')
    return name


def _text(path: Path) -> str:
    if path.stat().st_size > LONGEST_FILE:
        raise UsageError(f'{path} has more than {LONGEST_FILE} bytes.')
    try:
        return path.read_text('utf-8')
    except UnicodeDecodeError as error:
        raise UsageError(f'{path} is no UTF-8: {error.reason} at byte {error.start}.') from None


def _read_interface(package: str, path: Path, folder: Path) -> Iterator[Use]:
    """Yields the types of the fields in a file."""
    if not is_valid_message_name(path.stem):
        raise UsageError(f'{path}: an interface has a name in CamelCase, such as RobotState.')
    lines = _text(path).splitlines()
    dividers = [number for number, line in enumerate(lines) if line == DIVIDER]
    wanted = DIVIDERS[path.suffix[1:]]
    if len(dividers) != wanted:
        raise UsageError(
            f'{path} has {len(dividers)} lines {DIVIDER!r}: a {path.suffix} file has {wanted}.'
        )
    start = 0
    for end in (*dividers, len(lines)):
        for use in _types_in(package, path, lines, start, end):
            yield Use(*use, file=path.relative_to(folder))
        start = end + 1


def _types_in(
    package: str, path: Path, lines: Sequence[str], start: int, end: int
) -> Iterator[tuple[str, str, str]]:
    """Yields the types in some lines of a file: a message, a request, a goal; with their place."""
    for number in range(start, end):
        where = f'{path}:{number + 1}'
        fields = _fields(package, path.stem, lines[number], f'{where}: {lines[number].strip()!r}')
        for field in fields:
            if field.type in OF_ROS_1:
                raise UsageError(
                    f'{where}: the type {field.type!r} is of ROS 1; in ROS 2 it is '
                    f'builtin_interfaces/{field.type.capitalize()}.'
                )
            if field.pkg_name:
                yield field.pkg_name, field.type, where
    _fields(package, path.stem, '\n'.join(lines[start:end]), f'{path}:{start + 1}-{end}')


def _fields(package: str, name: str, text: str, where: str) -> list[Any]:
    """Returns the types of the fields in a text.

    Raises:
        UsageError: It is no text of a message.
    """
    try:
        with redirect_stderr(io.StringIO()):  # the parser prints what it raises
            return [field.type for field in parse_message_string(package, name, text).fields]
    except Exception as error:  # of many kinds; a fault of the text whatever it is
        kind = type(error).__name__.replace('Invalid', 'invalid ')
        raise UsageError(f'{where} cannot be read ({kind}: {error}).') from None


MARK = '+bt.x'  # in the version of a wheel of this project; then the hash of its sources
CMAKE = """\
cmake_minimum_required(VERSION 3.21)
project({name})

find_package(ament_cmake REQUIRED)
include("${{CMAKE_CURRENT_SOURCE_DIR}}/../cmake/ros_wheels.cmake")
find_package(rosidl_default_generators REQUIRED)
{packages}
leave_out_cpp_in_a_wheel()
rosidl_generate_interfaces(${{PROJECT_NAME}}
{files}
  DEPENDENCIES {needs}
)
mend_generated_targets()

ament_export_dependencies(rosidl_default_runtime)
ament_package()
"""
PYPROJECT = """\
[build-system]
requires = []
build-backend = "scikit_build_core.build"

[project]
name = "{name}"
version = "{version}"
dependencies = {dependencies}

[tool.scikit-build]
experimental = true
wheel.install-dir = "/data"
wheel.exclude = ["**.egg-info/**", "**/*.egg-info/*"]
"""
XML = """\
<?xml version="1.0"?>
<package format="3">
  <name>{name}</name>
  <version>{version}</version>
  <description>Interfaces of {name}, compiled by bt-executive</description>
  <maintainer email="maintainers@bt-executive.invalid">see the package itself</maintainer>
  <license>{license}</license>
  <buildtool_depend>ament_cmake</buildtool_depend>
  <buildtool_depend>rosidl_default_generators</buildtool_depend>
{needs}  <exec_depend>rosidl_default_runtime</exec_depend>
  <member_of_group>rosidl_interface_packages</member_of_group>
  <export><build_type>ament_cmake</build_type></export>
</package>
"""


def version_of(package: ForeignPackage, dependencies: Mapping[str, str]) -> str:
    """Return the version of the wheel, with the hash of its sources.

    `dependencies`: package that it needs → the requirement by which that is installed.
    """
    digest = hashlib.sha256(json.dumps(sorted(dependencies.items())).encode())
    for path in package.files:
        digest.update(path.as_posix().encode() + b'\0')
        digest.update((package.folder / path).read_bytes() + b'\0')
    return f'{package.version}{MARK}{digest.hexdigest()[:12]}'


def write_project(
    package: ForeignPackage, dependencies: Mapping[str, str], version: str, into: Path
) -> None:
    """Writes the project of a package into a folder that does not exist."""
    for path in package.files:
        (into / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(package.folder / path, into / path)
    needs = package.needs
    xml = XML.format(
        name=package.name,
        version=package.version,
        license=escape(package.license),
        needs=''.join(f'  <depend>{each}</depend>\n' for each in needs),
    )
    cmake = CMAKE.format(
        name=package.name,
        packages=''.join(f'find_package({each} REQUIRED)\n' for each in needs),
        files='\n'.join(f'  "{path.as_posix()}"' for path in package.files),
        needs=' '.join(needs),
    )
    requirements = json.dumps([dependencies[each] for each in needs])  # a list of TOML, too
    pyproject = PYPROJECT.format(name=package.name, version=version, dependencies=requirements)
    for name, text in (('CMakeLists.txt', cmake), (MANIFEST, xml), ('pyproject.toml', pyproject)):
        (into / name).write_text(text, encoding='utf-8')
