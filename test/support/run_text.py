"""`python -m run_text CODE …` is `python -c CODE …`, for `warm`."""

import sys

CODE = sys.argv[1]
sys.argv[:] = ['-c', *sys.argv[2:]]
exec(compile(CODE, '<string>', 'exec'), globals())
