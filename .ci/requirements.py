"""Prints every dependency of pyproject.toml, extras included, one per line for pip.

pip can install a project's extras, but not without the project itself, which needs the
interface packages first.
"""

from pathlib import Path
import sys

from pip._vendor import tomli

project = tomli.loads(Path(sys.argv[1]).read_text(encoding='utf-8'))['project']
extras = project['optional-dependencies'].values()
print('\n'.join([*project['dependencies'], *(line for extra in extras for line in extra)]))
