"""`bt-executive model-bench`: plays the tasks with the configured model and writes the figures.

Exit codes: 0 nothing unsafe and no false claim, 1 otherwise, 2 usage, or no such model.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
import sys
import time

from bench.guard.play import configuration
from bench.models.plain_rosa import is_playable
from bench.models.play import Job, Result, play_job
from bench.models.report import as_table, figure_texts, read, write
from bench.models.tasks import KINDS, LANGUAGES, read_tasks
from bt_executive.planner.configured_planner import check_provider
from rover_common.config.settings import PlannerSettings
from rover_common.errors import BtExecutiveError, UsageError
from rover_common.llm.providers.catalogue import LOCAL
from rover_common.process.parallel_work import add_workers, check_workers, parallel_imap
from rover_common.process.standard_streams import accept_every_text

DEFAULT_OUTPUT = Path('model-bench.json')
DEFAULTS = ('planner.provider=offline', 'planner.model=""', 'planner.base_url=""')


def make_parser() -> argparse.ArgumentParser:
    """Return the options."""
    parser = argparse.ArgumentParser(
        'bt-executive model-bench',
        description='Plays 60 tasks in three languages with a model, under the guards, on the '
        'simulated rover, and counts what came of them.',
        epilog='docs/models.md has the figures of some models.',
        allow_abbrev=False,
    )
    parser.add_argument(
        '--set', action='append', default=[], metavar='KEY=VALUE', help='the model: planner.KEY'
    )
    parser.add_argument('--language', choices=LANGUAGES, action='append', help='default: all')
    parser.add_argument('--kind', choices=KINDS, action='append', help='default: all')
    parser.add_argument('--only', default='', metavar='TEXT', help='tasks whose name has this')
    parser.add_argument(
        '--first',
        type=int,
        default=0,
        metavar='N',
        help='at most N, evenly of tasks and languages',
    )
    parser.add_argument(
        '--without-guards',
        action='store_true',
        help='carry out each call at once, as an agent without this executive does',
    )
    parser.add_argument(
        '--plain-rosa',
        action='store_true',
        help="ROSA's own agent and tools in the executive's place, on the tasks that need nothing "
        'of the executive; the model by provider llamacpp, or openai with planner.base_url',
    )
    parser.add_argument(
        '--as-plain-rosa', action='store_true', help='only the tasks that --plain-rosa plays'
    )
    add_workers(parser)
    parser.add_argument('--title', default='', help='of the column (default: the model)')
    parser.add_argument(
        '--compare', nargs='+', type=Path, metavar='FILE', help='play nothing; show these results'
    )
    parser.add_argument(
        '--resume', action='store_true', help='play only what the output file does not have yet'
    )
    parser.add_argument('-o', '--output', type=Path, default=DEFAULT_OUTPUT, metavar='FILE')
    return parser


def main(arguments: list[str]) -> int:
    """Run the bench; return the exit code."""
    accept_every_text()
    options = make_parser().parse_args(arguments)
    try:
        return _compare(options.compare) if options.compare else _run(options)
    except BtExecutiveError as error:
        print(f'bt-executive model-bench: {error}', file=sys.stderr)
        return 2


def _compare(paths: Sequence[Path]) -> int:
    found = [read(path) for path in paths]
    names = [title for title, _ in found]
    titles = [
        title if names.count(title) == 1 else f'{title} ({path.stem})'
        for path, title in zip(paths, names, strict=True)
    ]
    results = [figure_texts(each) for _, each in found]
    print(as_table(dict(zip(titles, results, strict=True))))
    return 0


def _run(options: argparse.Namespace) -> int:
    check_workers(options.workers)
    if options.first < 0:
        raise UsageError(f'--first {options.first}: give a number from 0 on.')
    settings = (*DEFAULTS, *options.set)
    planner = configuration(settings).executive.planner
    model = check_provider(planner).sentence
    with served(planner) as overrides:
        jobs = _jobs(options, (*settings, *overrides))
        start, title = time.monotonic(), options.title or model
        results = _before(options.output) if options.resume else []
        finished = {(each.task, each.language) for each in results}
        left = [each for each in jobs if (each.task, each.language) not in finished]
        for result in parallel_imap(play_job, left, options.workers, options.ray):
            results.append(result)
            write(options.output, title, results)
    write(options.output, title, results)
    print(as_table({title: figure_texts(results)}))
    for each in results:
        for fault in each.unsafe:
            print(f'UNSAFE {each.task}.{each.language}: {fault}')
        if each.false:
            print(f'FALSE {each.task}.{each.language}: {each.answer}')
    print(
        f'{len(left)} tasks in {time.monotonic() - start:.0f} s; the results are {options.output}'
    )
    return int(any(each.unsafe or each.false for each in results))


def _before(path: Path) -> list[Result]:
    return read(path)[1] if path.exists() else []


def _jobs(options: argparse.Namespace, settings: tuple[str, ...]) -> list[Job]:
    tasks = [
        task.name
        for task in read_tasks()
        if task.kind in (options.kind or KINDS) and options.only in task.name
        if is_playable(task) or not (options.plain_rosa or options.as_plain_rosa)
    ]
    if not tasks:
        raise UsageError(f'No task has {options.only!r} in its name.')
    return [
        Job(task, language, settings, not options.without_guards, options.plain_rosa)
        for task, language in evenly(tasks, options.language or LANGUAGES, options.first)
    ]


def evenly(
    tasks: Sequence[str], languages: Sequence[str], count: int
) -> Iterator[tuple[str, str]]:
    """Yield `count` different pairs; 0, or more than there are, is all of them.

    Tasks come in their order, each nearly as often as any other; languages take turns.
    """
    most = len(tasks) * len(languages)
    count = min(count, most) or most
    for at in range(count):
        yield tasks[at * len(tasks) // count], languages[at % len(languages)]


@contextmanager
def served(planner: PlannerSettings) -> Iterator[tuple[str, ...]]:
    """Serve the weights of provider llamacpp in this process, once for all workers."""
    if planner.provider != LOCAL:
        yield ()
        return
    from rover_common.llm.gguf_model_server import address_of, local_model, serve

    url = address_of(planner)
    server = serve(local_model(planner), url)
    try:
        yield (f'planner.base_url={url}',)
    finally:
        del server


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
