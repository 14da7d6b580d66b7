"""Fits the model of Curiosity's tools: `python -m bench.models.fit`, for half an hour.

The training data are config/examples.yaml and the utterances in wordings_*.yaml beside this file;
the model is written to config/examples.npz. Fitting needs torch (`bench.models.networks`).
`--check` only compares that file with its training data.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
import sys

import numpy as np

from bench.models.fitting import (
    NETWORKS,
    TrainingSet,
    Utterance,
    held_out_authors,
    read_utterances,
)
from bt_executive.planner.offline.neural_networks import ToolModel
from bt_executive.planner.offline.offered_tools import ENDINGS, OfflineTool, Tools
from bt_executive.planner.toolset import args_schema, describe
from bt_executive.skills.tool_registry import Registry
from rover_common.config.load import load_config
from rover_common.config.robot_examples import RobotExamples, robot_examples

FIRST_EPOCHS = 4  # of the model that finds the asides in utterances
FILE = Path(__file__).parents[2] / 'config' / 'examples.npz'


def tools_and_examples() -> tuple[Tools, RobotExamples]:
    """Return Curiosity's tools, as the offline model knows them, and their examples."""
    config = load_config()
    examples = robot_examples(config.robot)
    tools = {
        offer.name: OfflineTool(
            offer.name,
            describe(offer),
            args_schema(offer),
            examples.tools[offer.name],
            config.robot.tools[offer.name].resources_required,
            examples.model,
        )
        for offer in Registry(config).toolset()
        if offer.name not in ENDINGS
    }
    return tools, examples


def training_digest() -> str:
    """Return a digest of all sentences in the training data."""
    _, examples = tools_and_examples()
    annotated = [(each.text, each.calls) for each in read_utterances()]
    return hashlib.sha256(repr((examples.content, annotated)).encode()).hexdigest()


def is_fresh() -> bool:
    """Return whether the file was fitted to the training data as they are."""
    with np.load(FILE) as file:
        return str(file['made_of']) == training_digest()


def fit(utterances: list[Utterance]) -> ToolModel:
    """Return a model whose networks are each fitted without some authors."""
    from bench.models.networks import Trainer

    tools, examples = tools_and_examples()
    data = TrainingSet(tools, examples.no_tool, utterances)
    trainer = Trainer(data.labels)
    networks = []
    for seed, held_out in enumerate(held_out_authors(utterances)):
        by_authors = [each for each in data.of_authors if each.author not in held_out]
        samples = [*data.of_examples, *by_authors]
        first = trainer.ensemble([trainer.fit(samples, seed, FIRST_EPOCHS)])
        networks.append(trainer.fit([*samples, *data.compose(held_out, first, seed)], seed))
        print(f'network {seed + 1} of {NETWORKS}', flush=True)
    return trainer.ensemble(networks)


def main(arguments: list[str]) -> int:
    """Write the file, or check it; return the exit code."""
    if arguments == ['--check']:
        print('fresh' if is_fresh() else 'stale: run `python -m bench.models.fit`')
        return 0 if is_fresh() else 1
    fit(read_utterances()).save(FILE, training_digest())
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
