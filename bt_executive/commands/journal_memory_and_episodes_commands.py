"""`bt-executive journal`, `memory` and `episodes`: what is kept across starts."""

from __future__ import annotations

import argparse
import math
import os
import sys

from bt_executive.commands.shared_options import Commands, SharedOptions, read_configuration
from rover_common.errors import UsageError
from rover_common.process.user_paths import named_path, not_empty
from rover_common.ros.ros_arguments import namespace_of
from rover_common.url_secrets import without_secrets

JOURNAL_ACTIONS = ('list', 'show', 'export', 'prune', 'check')


def add_journal(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    journal = commands.add_parser(
        'journal',
        run=run_journal_command,
        parents=[shared.common],
        help='look at what is kept of goals and calls across starts',
        description='list: the goals. show GOAL: one as its timeline. export [GOAL]: entries as '
        'JSON lines. prune: forget goals that ended long ago. check: is every entry as it was '
        'written?',
    )
    journal.add_argument(
        'action', choices=JOURNAL_ACTIONS, metavar='ACTION', help=', '.join(JOURNAL_ACTIONS)
    )
    journal.add_argument(
        'goal', nargs='?', default='', metavar='GOAL', help="the goal's id, or how it begins"
    )
    journal.add_argument(
        '--journal',
        type=not_empty,
        metavar='FILE',
        help="the journal (default: journal.file, or the robot's own)",
    )
    journal.add_argument(
        '--last', type=int, default=50, metavar='N', help='how many goals list shows (default: 50)'
    )


def run_journal_command(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Does it and returns the exit code: 0, or 1 if the journal is damaged.

    Raises:
        JournalError: The journal cannot be read.
        UsageError: A GOAL is missing, there is one too many or none of it, or an executive has
            the journal.
    """
    from bt_executive.console import journal_actions
    from bt_executive.store.journal_location import journal_file
    from bt_executive.store.store_retention import Retention

    config = read_configuration(options, ros_arguments)
    node = f'{namespace_of(ros_arguments).rstrip("/")}/executive'
    if bool(options.goal) > (options.action in ('show', 'export')):
        raise UsageError(f'journal {options.action} takes no GOAL.')
    if options.action == 'show' and not options.goal:
        raise UsageError('journal show needs a GOAL: its id, which `journal list` shows.')
    last = _how_many(options.last)
    path = journal_file(config, os.environ, node)
    kept = config.executive.journal
    with journal_actions.reading_errors(path):
        if options.action == 'list':
            return journal_actions.list_goals(path, last)
        if options.action == 'show':
            return journal_actions.show_goal(path, options.goal)
        if options.action == 'export':
            return journal_actions.export(path, options.goal)
        if options.action == 'prune':
            retention = Retention(kept.keep_days, kept.max_mb, max_inputs_mb=kept.max_inputs_mb)
            return journal_actions.prune(path, retention)
        return journal_actions.check(path)


ACTIONS = ('build', 'ask', 'show', 'export', 'import', 'stats')
KINDS = ('explicit', 'implicit', 'global')
METHODS = ('SEMANTIC', 'LLM_HIERARCHICAL')
NEEDS = {'ask': 'a QUESTION', 'export': 'a FILE', 'import': 'a FILE'}


def add_memory(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    memory = commands.add_parser(
        'memory',
        run=run_memory_command,
        parents=[shared.common],
        help='look at what is remembered of places',
        description='build: make the areas anew. ask QUESTION: where is something? show: every '
        'node. export FILE: as GML, or as a page if it ends in .html. import FILE: take a GML '
        'file into an empty memory. stats: how much there is.',
    )
    memory.add_argument('action', choices=ACTIONS, metavar='ACTION', help=', '.join(ACTIONS))
    memory.add_argument('what', nargs='?', default='', metavar='QUESTION|FILE')
    memory.add_argument(
        '--store',
        type=not_empty,
        metavar='FILE|postgresql://...',
        help="default: the robot's own",
    )
    memory.add_argument('--kind', choices=KINDS, default='explicit', help='of the question')
    memory.add_argument(
        '--method',
        choices=METHODS,
        default='SEMANTIC',
        help='LLM_HIERARCHICAL asks a model (memory.model, else that of the planner)',
    )
    memory.add_argument('--near', default='', metavar='X,Y', help='where the asker is, m')


def run_memory_command(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Runs the action; returns the exit code: 0, or 1 if there is no answer.

    Raises:
        UsageError: The options contradict each other.
        ConfigError: The model cannot be used.
        MemoryStoreError: The memory or the file cannot be read.
    """
    config = read_configuration(options, ros_arguments)
    node = f'{namespace_of(ros_arguments).rstrip("/")}/memory'
    from bt_executive.console import memory_actions
    from embodied_nav.gml.gml_import import read_gml
    from embodied_nav.memory_from_config import chat_model, embedding_model, memory_store
    from embodied_nav.query_and_recall_types import Query, RetrievalMethod
    from embodied_nav.spatial_memory import open_memory

    where = options.store or memory_store(config, os.environ, node)
    method = RetrievalMethod(options.method)
    chat = None if method is RetrievalMethod.SEMANTIC else chat_model(config, os.environ)
    if method is not RetrievalMethod.SEMANTIC and chat is None:
        from rover_common.llm.providers.catalogue import CATALOGUE

        raise UsageError(
            f'{options.method} asks a model: set memory.model.provider or planner.provider to '
            f'one of {", ".join(CATALOGUE)}.'
        )
    embedder = embedding_model(config, os.environ)
    question = Query(text=options.what, kind=options.kind, method=method, near=_near(options.near))
    _check_what(options.action, options.what, where)
    # Before the store is opened: a file that cannot be read leaves no empty one.
    imported = read_gml(named_path(options.what)) if options.action == 'import' else None
    memory = open_memory(where, embedder, chat=chat)
    try:
        if options.action == 'build':
            return memory_actions.build(memory)
        if options.action == 'ask':
            return memory_actions.ask(memory, question)
        if options.action == 'show':
            return memory_actions.show(memory)
        if options.action == 'export':
            title = without_secrets(where)
            return memory_actions.export(memory, named_path(options.what), title)
        if imported is not None:
            return memory_actions.import_file(memory, imported)
        return memory_actions.count(memory, without_secrets(where))
    finally:
        memory.close()


def _check_what(action: str, what: str, store: str) -> None:
    needed = NEEDS.get(action)
    if needed and not what:
        raise UsageError(f'memory {action} needs {needed}.')
    if what and not needed:
        raise UsageError(f'memory {action} takes nothing more.')
    if action == 'import' or '://' in store:
        return
    path = named_path(store)
    if not path.is_file() or not path.stat().st_size:  # SQLite would make a store of an empty file
        raise UsageError(
            f'There is no memory {store!r} yet: explore with `bt-executive up`, or name '
            'another one with --store.'
        )


def _near(text: str) -> tuple[float, float, float] | None:
    if not text:
        return None
    try:
        x, y = map(float, text.split(','))
    except ValueError:
        x = y = math.nan
    if not (math.isfinite(x) and math.isfinite(y)):
        raise UsageError(f'--near takes X,Y in m, not {text!r}.')
    return x, y, 0.0


def add_episodes(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    episodes = commands.add_parser(
        'episodes',
        run=run_episodes_command,
        parents=[shared.common],
        help='show what was seen and said, across starts',
        description='The latest episodes, or those in which all of the words are said.',
    )
    episodes.add_argument('words', nargs='*', metavar='WORD', help='what they must say')
    episodes.add_argument(
        '--last', type=int, default=20, metavar='N', help='how many are shown (default: 20)'
    )
    episodes.add_argument(
        '--show', type=int, default=0, metavar='NUMBER', help='one of them with everything'
    )
    episodes.add_argument(
        '--journal',
        type=not_empty,
        metavar='FILE',
        help="the journal beside which they are (default: the robot's)",
    )


def run_episodes_command(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Prints the episodes; returns the exit code."""
    from bt_executive.console.trace_skill_cost_and_episode_tables import print_episodes
    from rover_vision.vision_folder import vision_folder

    config, last = read_configuration(options, ros_arguments), _how_many(options.last)
    folder = vision_folder(config, os.environ, namespace_of(ros_arguments))
    return print_episodes(folder, ' '.join(options.words), last, options.show)


def _how_many(last: int) -> int:
    """Return the value of `--last` as a number that SQLite takes.

    Raises:
        UsageError: It is less than 1.
    """
    if last < 1:
        raise UsageError(f'--last is {last}: give 1 or more.')
    return min(last, sys.maxsize)
