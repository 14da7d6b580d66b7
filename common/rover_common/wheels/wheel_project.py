"""Writes an interface package that others wrote as one that compiles to a wheel.

Its own build file is not used: it may ask for what wheels do not have, and build programs. Nor
is its manifest: ament refuses one for a maintainer's address.
"""

from __future__ import annotations

from collections.abc import Mapping
import hashlib
import json
from pathlib import Path
import shutil
from xml.sax.saxutils import escape

from rover_common.wheels.interface_package import MANIFEST, ForeignPackage

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
