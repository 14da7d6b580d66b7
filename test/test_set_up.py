"""How a clone is set up: .ci/set_up.py and what it uses, on folders of the test's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
import fcntl
from importlib import import_module
import os
from pathlib import Path
import shutil
import signal
import subprocess
import sys
from typing import Any

from once import made_once
from papers import ROOT
import pytest

CI = ROOT / '.ci'
MODULES = ('requirements', 'progress', 'lock', 'installer', 'interface_wheels', 'set_up')


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The scripts of .ci, as they are when Make calls them."""
    monkeypatch.syspath_prepend(str(CI))
    yield {name: import_module(name) for name in MODULES}
    for name in MODULES:
        sys.modules.pop(name)


def printed(*arguments: str) -> list[str]:
    command = [sys.executable, str(CI / 'requirements.py'), str(ROOT / 'setup.cfg'), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else [done.stderr]


@pytest.mark.process
def test_the_base_needs_no_extra_and_no_tool_of_the_tests() -> None:
    base = {line.partition('=')[0].partition('>')[0] for line in printed()}
    assert {'py_trees', 'ros-rclpy[fastrtps]', 'jpl-rosa'} <= base
    assert base.isdisjoint({'pytest', 'mypy', 'ruff', 'cmake', 'mcp', 'langchain-ollama~'})
    assert not [each for each in base if each.endswith('_interfaces')]  # from wheels of ours


@pytest.mark.process
def test_what_is_compiled_with_is_no_part_of_the_environment() -> None:
    assert not {'ninja', 'catkin_pkg'} & set(printed('--all-extras'))
    assert {'ninja', 'catkin_pkg'} <= set(printed('--only', 'interfaces'))


@pytest.mark.process
def test_a_distribution_gets_no_wheels_of_ros() -> None:
    assert not [line for line in printed('--without-ros') if line.startswith('ros-')]


@pytest.mark.process
def test_an_unknown_extra_is_named() -> None:
    (complaint,) = printed('telepathy')
    assert "no extra 'telepathy'; it has: anthropic" in complaint


def interface_files(folder: Path, name: str = 'msgs') -> Path:
    package = folder / 'interfaces' / name
    package.mkdir(parents=True)
    (package / 'package.xml').write_text('<package/>')
    (package / 'Heat.msg').write_text('float64 heat\n')
    return package


@pytest.fixture
def wheels(scripts: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """interface_wheels in a repository with one package, with a cache of its own."""
    interface_files(tmp_path)
    monkeypatch.setattr(scripts['interface_wheels'], 'ROOT', tmp_path)
    monkeypatch.setattr(scripts['interface_wheels'], 'DIST', tmp_path / 'dist')
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    return scripts['interface_wheels']


def keep_wheel(wheels: Any, package: Path) -> Path:
    """Puts a wheel of a package, as it is now, into the cache."""
    folder = wheels.kept(package, os.environ)
    folder.mkdir(parents=True)
    wheel = folder / f'{package.name}-0.1.0+bt-{wheels.TAG.split("-")[0]}-cp3-linux.whl'
    wheel.touch()
    return Path(wheel)


@pytest.fixture
def package(wheels: Any) -> Path:
    (found,) = wheels.packages()
    return Path(found)


def test_a_wheel_is_ready_once_it_is_in_the_cache(wheels: Any, package: Path) -> None:
    assert wheels.ready(package, os.environ) is None
    wheel = keep_wheel(wheels, package)
    assert wheels.ready(package, os.environ) == wheel


def test_another_message_needs_another_wheel(wheels: Any, package: Path) -> None:
    keep_wheel(wheels, package)
    (package / 'Heat.msg').write_text('float32 heat\n')
    assert wheels.to_compile([package], os.environ) == [package]


def test_another_package_changes_nothing_for_this_one(
    wheels: Any, package: Path, tmp_path: Path
) -> None:
    wheel = keep_wheel(wheels, package)
    interface_files(tmp_path, 'others')
    assert wheels.ready(package, os.environ) == wheel
    assert [each.name for each in wheels.to_compile(wheels.packages(), os.environ)] == ['others']
    assert wheels.packages(['others']) == [tmp_path / 'interfaces' / 'others']


def test_wheels_in_dist_are_taken_if_they_are_of_this_content(
    wheels: Any, package: Path, tmp_path: Path
) -> None:
    (tmp_path / 'dist').mkdir()
    wheel = tmp_path / 'dist' / keep_wheel(wheels, package).name
    wheel.touch()
    shutil.rmtree(wheels.kept(package, os.environ))
    mark = tmp_path / 'dist' / f'{package.name}-{wheels.TAG}.content'
    mark.write_text('of other files')
    assert wheels.ready(package, os.environ) is None
    mark.write_text(wheels.content(package) + '\n')
    assert wheels.ready(package, os.environ) == wheel


def test_what_another_set_up_compiles_is_waited_for_and_taken(
    wheels: Any,
    package: Path,
    scripts: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    cache = wheels.cache(os.environ)
    cache.mkdir(parents=True)
    progress = scripts['progress'].Progress()
    with (cache / f'{wheels.TAG}.lock').open('w') as other:
        fcntl.flock(other, fcntl.LOCK_EX)

        def say(text: str) -> None:
            assert text.startswith('Waiting for another set-up')
            keep_wheel(wheels, package)  # it has compiled it
            fcntl.flock(other, fcntl.LOCK_UN)

        monkeypatch.setattr(progress, 'say', say)
        monkeypatch.setattr(wheels, '_compile', lambda *_: pytest.fail('compiled twice'))
        installs = scripts['installer'].Installer(progress)
        found = wheels.wheels(installs, tmp_path, [package])
        assert found == [wheels.ready(package, os.environ)]


def test_a_package_of_which_no_wheel_has_come_ends_the_set_up(
    wheels: Any, package: Path, scripts: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheels, '_compile_into_cache', lambda *_: None)
    installs = scripts['installer'].Installer(scripts['progress'].Progress())
    with pytest.raises(scripts['progress'].CommandError):
        wheels.wheels(installs, Path('logs'), [package])


def test_without_a_compiler_and_wheels_one_sentence_says_what_to_do(
    wheels: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv('PATH', str(tmp_path))
    monkeypatch.delenv('CXX', raising=False)
    assert 'no C++ compiler found' in wheels.lacking()
    assert '`make wheels`' in wheels.lacking()


def test_equal_libraries_become_one_file(scripts: dict[str, Any], tmp_path: Path) -> None:
    library = tmp_path / 'lib'
    library.mkdir()
    texts = {'libdds.so': 'dds', 'libdds.so.2': 'dds', 'libyaml.so': 'yaml', 'dds.py': 'dds'}
    for name, text in texts.items():
        (library / name).write_text(text)
    scripts['set_up'].share_files(tmp_path)
    assert {path.name: path.read_text() for path in library.iterdir()} == texts
    assert (library / 'libdds.so').samefile(library / 'libdds.so.2')
    assert (library / 'dds.py').stat().st_nlink == (library / 'libyaml.so').stat().st_nlink == 1


def test_what_is_not_run_is_not_kept(scripts: dict[str, Any], tmp_path: Path) -> None:
    site = 'lib/python3.11/site-packages'
    gone = ('include/rcl', f'{site}/numpy/fft/tests', f'{site}/pip/_internal/__pycache__')
    of_pypy = tmp_path / site / 'zstandard' / '_cffi.cpython-311.so'
    of_pypy.parent.mkdir(parents=True)
    of_pypy.touch()
    kept = ('include/python3.11', f'{site}/numpy/fft', f'{site}/rclpy/__pycache__')
    for name in (*gone, *kept):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
    scripts['set_up'].forget_what_is_not_run(tmp_path)
    assert not [name for name in gone if (tmp_path / name).exists()]
    assert not of_pypy.exists()
    assert not [name for name in kept if not (tmp_path / name).exists()]


@pytest.mark.process
def test_the_end_of_a_failed_commands_output_is_shown(
    scripts: dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / 'logs' / 'x.log'
    command = ['/bin/sh', '-c', 'echo no space left; exit 3']
    with (
        pytest.raises(scripts['progress'].CommandError),
        scripts['progress'].Progress() as progress,
    ):
        progress.run('dependencies', command, log, os.environ)
    assert f'dependencies: exit code 3. The end of {log}:\nno space left' in capfd.readouterr().err


@pytest.mark.process
def test_a_command_that_cannot_be_started_fails_as_one_that_ends_badly(
    scripts: dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / 'uv'
    program.touch(0o644)  # as on a file system that is mounted noexec
    progress = scripts['progress'].Progress()
    with pytest.raises(scripts['progress'].CommandError):
        progress.run('dependencies', [program], tmp_path / 'x.log', os.environ)
    assert 'dependencies: cannot be started' in capfd.readouterr().err
    assert 'Permission denied' in (tmp_path / 'x.log').read_text()
    with progress.under_way('pip'):  # the failed command is no longer among them
        assert progress._now() == [('pip', '')]


def test_nothing_is_started_after_the_end(scripts: dict[str, Any], tmp_path: Path) -> None:
    with scripts['progress'].Progress() as progress:
        pass
    with pytest.raises(scripts['progress'].CommandError):
        progress.run('dependencies', ['/bin/true'], tmp_path / 'x.log', os.environ)
    assert not (tmp_path / 'x.log').exists()


def test_what_ends_the_installation_beside_the_compiler_ends_the_set_up(
    scripts: dict[str, Any],
) -> None:
    def install() -> None:
        raise OSError('no space left')

    with pytest.raises(OSError, match='no space left'):
        scripts['set_up']._beside(install, list)


@pytest.mark.process
def test_a_wheel_that_cannot_be_kept_ends_the_set_up(
    wheels: Any, package: Path, scripts: dict[str, Any], tmp_path: Path
) -> None:
    (wheels.kept(package, os.environ) / 'not a wheel').mkdir(parents=True)  # it is in the way
    python = tmp_path / 'venv' / 'bin' / 'python'
    python.parent.mkdir(parents=True)
    python.symlink_to('/bin/true')
    progress = scripts['progress'].Progress()
    with pytest.raises(OSError, match='not empty'):
        wheels._compile([package], tmp_path / 'venv', progress, tmp_path, os.environ)
    assert len([*wheels.cache(os.environ).iterdir()]) == 1  # what was compiled into is gone


@pytest.mark.process
def test_what_a_long_command_is_at_is_said(
    scripts: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scripts['progress'], 'QUIET_S', 0.05)
    said = tmp_path / 'said'
    os.mkfifo(said)
    progress = scripts['progress'].Progress()

    def say(line: str) -> None:
        """The command goes on when the line that the test waits for is said."""
        if line == 'dependencies: Collecting numpy':
            with said.open('w') as pipe:
                pipe.write('go on')
            monkeypatch.setattr(progress, 'say', lambda _: None)

    monkeypatch.setattr(progress, 'say', say)
    command = ['/bin/sh', '-c', f'echo "Collecting numpy (from x)"; cat {said}']
    with progress:
        progress.run('dependencies', command, tmp_path / 'log', os.environ)


def test_the_settings_of_pip_hold_for_uv(scripts: dict[str, Any]) -> None:
    settings = {
        'index-url': 'https://pypi.example/simple',
        'extra-index-url': 'file:///opt/a\nfile:///opt/b',
        'find-links': '/opt/wheels /opt/more',
        'cert': '/etc/ssl/ca.crt',
        'cache-dir': '/var/cache/pip',
        'no-cache-dir': 'false',
        'no-index': 'yes',
    }
    options, variables = scripts['installer'].of_uv(settings)
    assert options[2:] == ['--no-index']
    assert variables == {
        'SSL_CERT_FILE': '/etc/ssl/ca.crt',
        'UV_DEFAULT_INDEX': 'https://pypi.example/simple',
        'UV_INDEX': 'file:///opt/a file:///opt/b',
        'UV_FIND_LINKS': '/opt/wheels,/opt/more',
        'UV_NO_CACHE': '1',
    }


def test_uv_caches_beside_what_pip_caches(
    scripts: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('HOME', '/home/rover')
    _, variables = scripts['installer'].of_uv({'cache-dir': '~/pip'})
    assert variables == {'UV_CACHE_DIR': '/home/rover/pip/uv'}


@pytest.mark.process
def test_a_password_of_an_index_is_in_no_command_line_and_in_no_log(
    scripts: dict[str, Any], tmp_path: Path
) -> None:
    program = tmp_path / 'uv'
    program.write_text('#!/bin/sh\necho "called with $*"; echo "from $UV_DEFAULT_INDEX"\n')
    program.chmod(0o755)
    settings = {'index-url': 'https://rover:pass-word@pypi.example/simple'}
    progress = scripts['progress'].Progress()
    uv = scripts['installer'].Uv(program, *scripts['installer'].of_uv(settings))
    installs = scripts['installer'].Installer(progress, lambda: uv)
    installs.install('extras', ['numpy'], tmp_path / 'log')
    called, got = (tmp_path / 'log').read_text().splitlines()
    assert called.endswith(' numpy')
    assert 'pypi.example' not in called
    assert got == 'from https://****@pypi.example/simple'


@pytest.mark.process
def test_the_environment_of_pip_is_stronger_than_its_file(
    scripts: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / 'pip.conf'
    file.write_text('[global]\nindex-url = https://a.example\ntimeout = 7\n')
    monkeypatch.setenv('PIP_CONFIG_FILE', str(file))
    monkeypatch.setenv('PIP_INDEX_URL', 'https://b.example')
    monkeypatch.delenv('PIP_DEFAULT_TIMEOUT', raising=False)  # another name of `timeout`
    found = scripts['installer'].settings_of_pip()
    assert (found['index-url'], found['timeout']) == ('https://b.example', '7')


@pytest.mark.process
def test_only_what_pip_heeds_when_it_installs_is_a_setting(
    scripts: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [each for each in os.environ if each.startswith('PIP_')]:
        monkeypatch.delenv(name)
    file = tmp_path / 'pip.conf'
    file.write_text(
        '[wheel]\nwheel-dir = /w\nindex-url = https://w.example\n'
        '[install]\nindex-url = https://i.example\ntimeout = 8\n'
        '[global]\nindex-url = https://a.example\ntimeout = 7\nno-index =\n'
    )
    monkeypatch.setenv('PIP_CONFIG_FILE', str(file))
    monkeypatch.setenv('PIP_DEFAULT_TIMEOUT', '9')
    found = scripts['installer'].settings_of_pip()
    assert (found['index-url'], found['timeout']) == ('https://i.example', '9')
    assert not {'wheel-dir', 'no-index'} & found.keys()


@pytest.mark.parametrize(
    ('value', 'options'), [('y', ['--no-index']), ('T', ['--no-index']), ('no', [])]
)
def test_yes_is_what_pip_takes_for_yes(
    scripts: dict[str, Any], value: str, options: list[str]
) -> None:
    assert scripts['installer'].of_uv({'no-index': value})[0][2:] == options


@pytest.mark.process
@pytest.mark.parametrize(
    ('variable', 'value', 'words'),
    [
        ('PIP_REQUIRE_HASHES', '1', "pip installs: its setting 'require-hashes'"),
        ('PIP_FIND_LINKS', '/opt/a,b', "pip installs: its setting 'find-links'"),
        ('PIP_NO_INDEX', '1', 'uv cannot be had: pip installs'),
    ],
)
def test_where_uv_cannot_be_had_pip_installs_and_says_why(
    scripts: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    variable: str,
    value: str,
    words: str,
) -> None:
    monkeypatch.setenv('PIP_CONFIG_FILE', os.devnull)
    monkeypatch.delenv('PIP_FIND_LINKS', raising=False)
    monkeypatch.setenv(variable, value)
    progress = scripts['progress'].Progress()
    with scripts['installer'].installer(progress, tmp_path) as installs:
        assert installs.uv() is None
    assert words in capsys.readouterr().out


@pytest.mark.process
def test_where_uv_cannot_be_run_pip_installs(
    scripts: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    progress = scripts['progress'].Progress()
    run = progress.run

    def get(title: str, command: list[Any], log: Path, environment: dict[str, str]) -> None:
        if command[1:] == ['--version']:
            run(title, command, log, environment)
        else:  # pip, which installs uv where nothing can be run
            program = command[command.index('--target') + 1] / 'bin' / 'uv'
            program.parent.mkdir()
            program.touch(0o644)

    monkeypatch.setattr(progress, 'run', get)
    with scripts['installer'].installer(progress, tmp_path) as installs:
        assert installs.uv() is None


@pytest.mark.process
def test_what_uv_cannot_install_pip_installs(
    scripts: dict[str, Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    python = tmp_path / 'python'  # tells with what it was called
    python.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/called\n')
    python.chmod(0o755)
    progress = scripts['progress'].Progress()
    program = tmp_path / 'uv'
    program.write_text('#!/bin/sh\necho no such index; exit 1\n')
    program.chmod(0o755)
    uv = scripts['installer'].Uv(program)
    installs = scripts['installer'].Installer(progress, lambda: uv)
    installs.install('extras', ['numpy'], tmp_path / 'x.log', python)
    assert (tmp_path / 'called').read_text() == '-m pip install --no-compile numpy\n'
    assert 'uv could not do it: pip tries' in capfd.readouterr().out
    assert (tmp_path / 'x.log').read_text() == 'no such index\n'  # the one that the message names
    assert (tmp_path / 'x_by_pip.log').exists()


def test_uv_is_got_once_and_only_if_something_is_installed(
    scripts: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    progress = scripts['progress'].Progress()
    ran: list[str] = []
    monkeypatch.setattr(progress, 'run', lambda title, *_: ran.append(title))
    monkeypatch.setattr(scripts['installer'], 'settings_of_pip', dict)
    with scripts['installer'].installer(progress, tmp_path) as installs:
        assert ran == []
        installs.install('dependencies', ['numpy'], tmp_path / 'log')
        installs.install('extras', ['mcp'], tmp_path / 'log')
    assert ran == [*['uv, which installs'] * 2, 'dependencies', 'extras']  # got, and tried


# --- make, of which two may run at once ----------------------------------------------------------

PYTHON = """#!/bin/bash
case $1 in
  -c) echo nothing ;;  # is lacking
  -m) trap 'sleep 0.5; echo ended; exit 1' INT
      echo created >>created; mkdir -p .venv; exec 3<>may_go
      until read -r -t 0.1 -u 3; do :; done ;;
  *) exec {python} "$@" ;;
esac
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with our Makefile and a Python whose `-m venv` waits for a line in `may_go`."""
    folder = tmp_path / 'clone'
    shutil.copytree(CI, folder / '.ci', ignore=shutil.ignore_patterns('__pycache__'))
    shutil.copy2(ROOT / 'Makefile', folder)
    (folder / 'interfaces').mkdir()
    (folder / 'python').write_text(PYTHON.format(python=sys.executable))
    (folder / 'python').chmod(0o755)
    os.mkfifo(folder / 'may_go')
    return folder


@contextmanager
def make_venv(clone: Path) -> Iterator[subprocess.Popen[str]]:
    """Lets make create .venv; it has ended afterwards."""
    outer = ('MAKEFLAGS', 'MFLAGS', 'MAKELEVEL')  # of the make that has started the tests
    with subprocess.Popen(
        ['make', '.venv/stamps/venv'],
        cwd=clone,
        env={
            **{name: value for name, value in os.environ.items() if name not in outer},
            'PYTHON': str(clone / 'python'),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
            process.wait(60)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def wait_for_words(process: subprocess.Popen[str], words: str) -> None:
    assert process.stdout is not None
    assert any(words in line for line in process.stdout), f'it has ended without {words!r}'


@pytest.mark.process
def test_two_makes_at_once_create_one_environment(clone: Path) -> None:
    with make_venv(clone) as first:
        wait_for_words(first, 'creating .venv: Python unpacks pip')
        with make_venv(clone) as second:
            wait_for_words(second, 'Waiting for another make in this folder')
            (clone / 'may_go').write_text('go\n')
    assert (first.returncode, second.returncode) == (0, 0)
    assert (clone / 'created').read_text() == 'created\n'
    assert (clone / '.venv' / 'stamps' / 'venv').exists()


@pytest.mark.process
def test_an_interrupted_make_leaves_no_creation_behind(clone: Path) -> None:
    with make_venv(clone) as make:
        wait_for_words(make, 'creating .venv: Python unpacks pip')
        os.killpg(make.pid, signal.SIGINT)
        wait_for_words(make, 'ended')
    assert make.returncode != 0
    assert not (clone / '.venv' / 'stamps' / 'venv').exists()


@pytest.fixture(scope='module')
def installed(tmp_path_factory: pytest.TempPathFactory, testrun_uid: str) -> Path:
    """The project's wheel, in a folder of its own; dependencies are those of this Python."""
    return made_once('installed', install_wheel, tmp_path_factory, testrun_uid) / 'site'


def install_wheel(folder: Path) -> None:
    pip: list[Any] = [sys.executable, '-m', 'pip', '--disable-pip-version-check', '--quiet']
    build = [*pip, 'wheel', '--no-deps', '--no-build-isolation', '--wheel-dir', folder, ROOT]
    subprocess.run(build, check=True, timeout=250)
    (wheel,) = folder.glob('bt_executive-*-py3-none-any.whl')
    install = [*pip, 'install', '--no-deps', '--no-compile', '--target', folder / 'site', wheel]
    subprocess.run(install, check=True, timeout=250)


def of_the_wheel(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the command line of the wheel, with no compiler and no repository around."""
    return subprocess.run(
        [sys.executable, '-m', 'bt_executive.cli', *arguments],
        cwd=site,
        env={'PATH': '/nonexistent', 'HOME': str(site), 'PYTHONPATH': str(site), 'COLUMNS': '300'},
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )


@pytest.mark.process
def test_the_wheel_has_all_of_the_project(installed: Path) -> None:
    share = installed / 'share' / 'bt_executive'
    for folder in ('config', 'config/worlds', 'config/sros2', 'launch'):
        shipped = {path.name for path in (ROOT / folder).glob('*.*')}
        assert {path.name for path in (share / folder).glob('*.*')} >= shipped, folder
    done = of_the_wheel(installed, 'doctor')
    assert done.returncode == 0, done.stdout + done.stderr
    assert str(share / 'config') in done.stdout


@pytest.mark.process
def test_its_version_can_be_asked(installed: Path) -> None:
    (metadata,) = installed.glob('bt_executive-*.dist-info')
    done = of_the_wheel(installed, '--version')
    number = metadata.name.removeprefix('bt_executive-').removesuffix('.dist-info')
    assert done.stdout == f'bt-executive {number}\n'
