"""`python -m run_in_clone FOLDER MODULE …`: `python -m MODULE …` in a copy of this repository.

For `warm`: what has been loaded from here is taken as loaded from the copy, which has the same
code, so that its own configuration is found, and all else is loaded from there.
"""

from pathlib import Path
import runpy
import sys

ROOT = str(Path(__file__).resolve().parents[2])
OF_VENV = f'{ROOT}/.venv/'


def _moved(path: str, folder: str) -> str:
    is_ours = path.startswith(f'{ROOT}/') and not path.startswith(OF_VENV)
    return folder + path[len(ROOT) :] if is_ours else path


def _run(folder: str, module: str, *arguments: str) -> None:
    for each in list(sys.modules.values()):
        found = vars(each)
        if isinstance(file := found.get('__file__'), str):
            each.__file__ = _moved(file, folder)
        if isinstance(paths := found.get('__path__'), list):
            each.__path__ = [_moved(path, folder) for path in paths]
    sys.argv[:] = [module, *arguments]
    runpy.run_module(module, run_name='__main__', alter_sys=True)


_run(*sys.argv[1:])
