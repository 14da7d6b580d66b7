"""Fits the model of Curiosity's tools anew: `python -m bench.models.fit`, for half an hour.

It learns from config/examples.yaml and from the wordings beside this file, and is written to
config/examples.npz. It needs torch (`bench.models.networks`). `--check` only says whether that
file was made of the same sentences.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
import sys

import numpy as np

from bench.models.fitting import NETWORKS, Fitting, Wording, groups, wordings
from bt_executive.planner.offline.neural_networks import ToolModel
from bt_executive.planner.offline.offered_tools import ENDINGS, OfflineTool, Tools
from bt_executive.planner.toolset import args_schema, describe
from bt_executive.skills.tool_registry import Registry
from rover_common.config.load import load_config
from rover_common.config.robot_examples import RobotExamples, robot_examples

FIRST_ROUNDS = 4  # until wishes are told from what is said around them
FILE = Path(__file__).parents[2] / 'config' / 'examples.npz'


def tools_and_examples() -> tuple[Tools, RobotExamples]:
    """Return Curiosity's tools, as the offline model knows them, and how they are asked for."""
    config = load_config()
    told = robot_examples(config.robot)
    tools = {
        each.name: OfflineTool(
            each.name,
            describe(each),
            args_schema(each),
            told.tools[each.name],
            config.robot.tools[each.name].resources_required,
            told.model,
        )
        for each in Registry(config).toolset()
        if each.name not in ENDINGS
    }
    return tools, told


def made_of() -> str:
    """Return a sum of all sentences that the model learns from."""
    _, told = tools_and_examples()
    said = [(each.text, each.calls) for each in wordings()]
    return hashlib.sha256(repr((told.content, said)).encode()).hexdigest()


def is_fresh() -> bool:
    """Return whether the file was made of the sentences as they are."""
    with np.load(FILE) as file:
        return str(file['made_of']) == made_of()


def fitted(said: list[Wording]) -> ToolModel:
    """Return the model of all there is: each of its networks has not seen some authors."""
    from bench.models.networks import Ear, Trainer

    tools, told = tools_and_examples()
    fitting = Fitting(tools, told.no_tool, said)
    trainer = Trainer(fitting.classes)
    networks = []
    for at, without in enumerate(groups(said)):
        own = [*fitting.ours, *(each for each in fitting.theirs if each.author not in without)]
        ear = Ear(trainer.model([trainer.fit(own, at, FIRST_ROUNDS)]))
        networks.append(trainer.fit([*own, *fitting.made_up(without, ear, at)], at))
        print(f'network {at + 1} of {NETWORKS}', flush=True)
    return trainer.model(networks)


def main(words: list[str]) -> int:
    """Write the file, or check it; return the exit code."""
    if words == ['--check']:
        print('fresh' if is_fresh() else 'stale: run `python -m bench.models.fit`')
        return 0 if is_fresh() else 1
    fitted(wordings()).write(FILE, made_of())
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
