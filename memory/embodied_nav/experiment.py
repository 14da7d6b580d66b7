"""`experiment FILE.gml`: spec 5's questions and answers over a graph, on the terminal."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
import os
from pathlib import Path
import sys

from embodied_nav.embodied_rag import Answer, EmbodiedRAG
from embodied_nav.memory_from_config import MemoryModels, make_models
from embodied_nav.observation import Position
from embodied_nav.query_and_recall_types import Kind, RetrievalMethod
from rover_common.config.load import load_config
from rover_common.errors import BtExecutiveError
from rover_common.llm.model_errors import ModelError
from rover_common.process.standard_streams import accept_every_text
from rover_common.text_sanitizing import one_line

KINDS: tuple[Kind, ...] = ('explicit', 'implicit', 'global')
UNUSABLE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer each line of standard input, or the one question of `--ask`."""
    accept_every_text()
    parser = argparse.ArgumentParser(prog='experiment', description=__doc__)
    parser.add_argument('graph', type=Path, metavar='FILE', help='a GML file of places')
    parser.add_argument('--ask', metavar='QUESTION', help='one question instead of a dialogue')
    parser.add_argument('--kind', choices=KINDS, default='explicit')
    parser.add_argument('--near', type=place, metavar='X,Y', help='where the asker is, m')
    parser.add_argument(
        '--method', choices=[each.value for each in RetrievalMethod], default='SEMANTIC'
    )
    add_models(parser)
    options = parser.parse_args(arguments)
    return run_reporting(lambda: _run(options))


def add_models(parser: argparse.ArgumentParser) -> None:
    """Add the option that names the models, as the configuration does."""
    parser.add_argument(
        '--set',
        action='append',
        default=[],
        metavar='KEY=VALUE',
        help='a value of the configuration, such as memory.model.provider=openai',
    )


def models_of(options: argparse.Namespace) -> MemoryModels:
    """Return the configured models; their faults go to standard error."""
    models = make_models(load_config(None, options.set), os.environ)
    for fault in models.faults:
        print(one_line(fault), file=sys.stderr)
    return models


def run_reporting(act: Callable[[], object]) -> int:
    """Run a function; an error is one sentence on standard error and exit code 2."""
    try:
        act()
    except (BtExecutiveError, ModelError, OSError) as error:
        print(error, file=sys.stderr)
        return UNUSABLE
    return 0


def place(text: str) -> Position:
    """Parse a place on the ground from "x,y", m."""
    try:
        x, y = map(float, text.split(','))
    except ValueError:
        raise argparse.ArgumentTypeError(f'{text!r} is not X,Y in m') from None
    return x, y, 0.0


def lines_of(answer: Answer) -> list[str]:
    """Return an answer as lines for a terminal."""
    lines = [one_line(f'{answer.recall.outcome.value}: {answer.text}')]
    for hit in answer.recall.hits:
        x, y, z = hit.position
        area = f' in {hit.parents[0]}' if hit.parents else ''
        lines.append(
            one_line(
                f'  {hit.probability:.2f} {hit.name} ({x:.1f}, {y:.1f}, {z:.1f}) m{area}: '
                f'{hit.caption[:120]}'
            )
        )
    return lines


def _run(options: argparse.Namespace) -> None:
    models = models_of(options)
    rag = EmbodiedRAG(models.embedder, models.chat)
    method = RetrievalMethod(options.method)
    try:
        print(f'{rag.load_graph_to_rag(options.graph)} nodes.')
        asked: Iterable[str] = [options.ask] if options.ask else sys.stdin
        for question in filter(None, map(str.strip, asked)):
            print('\n'.join(lines_of(rag.query(question, options.kind, options.near, method))))
    finally:
        rag.close()


if __name__ == '__main__':
    sys.exit(main())
