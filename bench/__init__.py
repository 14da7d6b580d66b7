"""Measurements of the numbers in docs/numbers.md; `python -m bench` lists them."""

from pathlib import Path
import sys

# The doubles of ports are those of the tests.
sys.path.append(str(Path(__file__).parents[1] / 'test' / 'support'))

import rover_common  # noqa: F401 - before numpy: BLAS has one thread, as in each of our processes
