"""Fits the model of Curiosity's tools: `python -m bench.models.fit`, for an hour of two cores.

The training data are config/examples.yaml and the utterances in wordings_*.yaml beside this file;
the model is written to config/examples.npz. It is judged by those in unseen_wordings_*.yaml
(`python -m bench wordings`). Fitting needs torch (`bench.models.networks`). `--check` only
compares the model with the training data.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
import hashlib
from pathlib import Path
import sys

import numpy as np

from bench.models.fitting import TrainingSet, read_utterances
from bt_executive.planner.offline.neural_networks import ToolModel
from bt_executive.planner.offline.offered_tools import ENDINGS, Tools, tools_by_name
from bt_executive.planner.prompt_toolset_and_result_text import openai_tools
from bt_executive.skills.tool_registry import Registry
from rover_common.config.load import load_config
from rover_common.config.robot_examples import RobotExamples, robot_examples

NETWORKS = 2
FIRST_EPOCHS = 4  # of the model that finds the asides in utterances
FILE = Path(__file__).parents[2] / 'config' / 'examples.npz'


def tools_and_examples() -> tuple[Tools, RobotExamples]:
    """Return Curiosity's tools, as the offline model knows them, and their examples."""
    config = load_config()
    examples = robot_examples(config.robot)
    offers = (each for each in Registry(config).toolset() if each.name not in ENDINGS)
    return tools_by_name(openai_tools(offers), examples, config.robot.tools), examples


def training_digest() -> str:
    """Return a digest of all sentences in the training data."""
    _, examples = tools_and_examples()
    annotated = [(each.text, each.calls) for each in read_utterances()]
    return hashlib.sha256(repr((examples.content, annotated)).encode()).hexdigest()


def is_fresh() -> bool:
    """Return whether the model was fitted to the training data as they are."""
    with np.load(FILE) as file:
        return str(file['made_of']) == training_digest()


def fit_network(seed: int) -> ToolModel:
    """Return the model of one network."""
    from bench.models.networks import Trainer

    tools, examples = tools_and_examples()
    data = TrainingSet(tools, examples.no_tool, read_utterances())
    trainer = Trainer(data.labels)
    samples = [*data.of_examples, *data.of_authors]
    first = trainer.fit(samples, seed, FIRST_EPOCHS)
    return trainer.fit([*samples, *data.compose(first, seed)], seed)


def main(arguments: list[str]) -> int:
    """Write the model, or check it; return the exit code."""
    if arguments == ['--check']:
        print('fresh' if is_fresh() else 'stale: run `python -m bench.models.fit`')
        return 0 if is_fresh() else 1
    digest = training_digest()
    with ProcessPoolExecutor() as pool:
        networks = list(pool.map(fit_network, range(NETWORKS)))
    ToolModel.ensemble(networks).save(FILE, digest)
    print(f'{FILE} is written')
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
