"""Prints every dependency of setup.cfg, extras included, one per line for pip.

pip can install a project's extras, but not without the project itself, which needs the
interface packages first.
"""

from configparser import ConfigParser
import sys

setup = ConfigParser()
setup.read(sys.argv[1], encoding='utf-8')
groups = [setup['options']['install_requires'], *setup['options.extras_require'].values()]
print('\n'.join(line for group in groups for line in group.strip().splitlines()))
