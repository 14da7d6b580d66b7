"""What several packages share. Knows none of them.

Every process of ours imports it first. NumPy's library would start a thread on each core for
products of large matrices, of which there are none here.
"""

import os

os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')
