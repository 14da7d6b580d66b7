"""Whoever asks a model, and whatever is not installed: one sentence that names the extras."""

from __future__ import annotations

from importlib import import_module
import json
import subprocess
import sys
from typing import Any

import pytest

from bt_executive.launching.memory_and_vision_models import model_faults, part_models
from bt_executive.launching.system_processes import NODES
from rover_common.config.load import load_config
from rover_common.extras import needs_extra
from rover_common.llm.providers.catalogue import CATALOGUE

CLIENTS = {'langchain_anthropic', 'langchain_ollama', 'langchain_openai', 'xllamacpp'}
AGENT = {'langchain', 'rosa'}
COMMON = {'langchain_core', 'langsmith'}  # each provider's package brings them
# What is installed → what is not there to be imported.
ENVIRONMENTS = {
    'base': {*CLIENTS, *AGENT, *COMMON, 'openai', 'anthropic', 'ollama'},
    'anthropic': {*CLIENTS, *AGENT, 'openai', 'ollama'} - {'langchain_anthropic'},
    'local': {*CLIENTS, *AGENT, *COMMON, 'openai', 'anthropic', 'ollama'} - {'xllamacpp'},
}
# The part that asks → what names its model; llamacpp comes from the planner.
CALLERS = {
    'planner': 'planner',
    'memory': 'memory.model',
    'embeddings': 'memory.embedding',
    'vision': 'vision.model',
}
NEEDED = {
    'openai': ('rosa',),
    'azure': ('rosa',),
    'anthropic': ('anthropic',),
    'ollama': ('ollama',),
    'llamacpp': ('local', 'rosa'),
}
CASES = [
    (caller, provider)
    for caller in CALLERS
    for provider in NEEDED
    if provider != 'llamacpp' or caller in ('planner', 'memory')
]
ASK = """
import json, sys
left_out, cases, stub = json.loads(sys.argv[1])
class LeftOut:
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in left_out:
            raise ModuleNotFoundError(f'No module named {name!r}', name=name)
sys.meta_path.insert(0, LeftOut())
sys.path.append(stub)
from bt_executive.launching.system_processes import NODES
from bt_executive.launching.memory_and_vision_models import model_faults
from bt_executive.planner.configured_model_check import check_provider
from embodied_nav.memory_from_config import make_models
from rover_common.config.load import load_config
from rover_common.errors import ConfigError
from rover_vision.seeing.vision_model import make_model

KEYS = dict.fromkeys(('OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'AZURE_OPENAI_API_KEY'), 'key')
def asked(caller, changes):
    config = load_config(None, changes)
    if caller == 'planner':
        try:
            return [check_provider(config.executive.planner, KEYS).sentence]
        except ConfigError as fault:
            return [str(fault)]
    if caller == 'vision':
        return [make_model(config, KEYS)[1], *model_faults(config, KEYS, NODES)]
    return [*make_models(config, KEYS).faults, *model_faults(config, KEYS, NODES)]
print(json.dumps([asked(*case) for case in cases]))
print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))
"""


def changes(caller: str, provider: str) -> list[str]:
    where = 'planner' if provider == 'llamacpp' else CALLERS[caller]
    given = [f'{where}.provider={provider}', f'{where}.model=m']
    address = [f'{where}.base_url=http://127.0.0.1:9'] if provider == 'azure' else []
    return [*given, *address]


def asked(installed: str, stub: str) -> tuple[dict[tuple[str, str], list[str]], list[str]]:
    """Caller and provider → what is said of it; and what has been imported for it."""
    cases = [(caller, changes(caller, provider)) for caller, provider in CASES]
    reported = json.dumps([sorted(ENVIRONMENTS[installed]), cases, stub])
    done = subprocess.run(
        [sys.executable, '-c', ASK, reported], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    sentences, modules = map(json.loads, done.stdout.splitlines())
    return dict(zip(CASES, sentences, strict=True)), modules


@pytest.fixture(scope='module')
def stub(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with an xllamacpp to be found: the package itself is none of the suite."""
    folder = tmp_path_factory.mktemp('local')
    (folder / 'xllamacpp.py').touch()
    return str(folder)


def lacking(installed: str, caller: str, provider: str) -> tuple[str, ...]:
    needed = [extra for extra in NEEDED[provider] if extra != installed]
    if needed and caller == 'planner' and 'rosa' not in needed:
        needed.append('rosa')
    return tuple(needed)


@pytest.mark.process
@pytest.mark.parametrize('installed', ENVIRONMENTS)
def test_what_is_missing_is_one_sentence(installed: str, stub: str) -> None:
    said, modules = asked(installed, stub)
    for (caller, provider), sentences in said.items():
        expected = f'provider {provider} has no embeddings'
        if caller != 'embeddings' or CATALOGUE[provider].embeds:
            extras = lacking(installed, caller, provider)
            expected = needs_extra(f'provider {provider}', *extras) if extras else ''
        if expected:
            assert len(sentences) == (1 if caller == 'planner' else 2), (caller, provider)
            assert all(expected in each for each in sentences), sentences
        else:
            assert not any('needs the extra' in each for each in sentences), sentences
    if installed == 'base':
        assert not ENVIRONMENTS['base'] & {*modules}


@pytest.mark.slow
def test_what_the_catalogue_needs_is_in_the_table() -> None:
    assert {name: tuple(each.packages) for name, each in CATALOGUE.items()} == {
        **NEEDED,
        'llamacpp': ('local', 'rosa'),
    }
    for name, provider in CATALOGUE.items():
        if name != 'llamacpp':
            module: Any = import_module(f'rover_common.llm.providers.{name}')
            assert hasattr(module, 'make_embeddings') is provider.embeds


def test_what_is_configured_is_listed_for_the_processes_that_ask() -> None:
    given = ['memory.model.provider=ollama', 'memory.model.model=qwen3:8b']
    config = load_config(
        None, [*given, 'vision.model.provider=ollama', 'vision.model.model=llava']
    )
    found = {each.title: each for each in part_models(config, {}, NODES)}
    assert set(found) == {'memory.model', 'vision.model'}
    assert found['vision.model'].description == 'ollama, llava at http://127.0.0.1:11434'
    assert model_faults(config, {}, NODES) == []
    assert list(part_models(config, {}, [])) == []
    assert list(part_models(load_config(), {}, NODES)) == []


def test_a_key_that_is_missing_is_named_with_what_does_without() -> None:
    given = ['vision.model.provider=anthropic', 'vision.model.model=sees']
    (sentence,) = model_faults(load_config(None, given), {}, NODES)
    assert sentence.startswith('Nothing asks vision.model: vision.yaml: ')
    assert 'ANTHROPIC_API_KEY' in sentence


def test_a_gguf_file_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('rover_common.llm.providers.catalogue.is_installed', lambda _: True)
    overrides = ['planner.provider=llamacpp', 'planner.model=/nowhere/small.gguf']
    (sentence,) = model_faults(load_config(None, overrides), {}, NODES)
    assert sentence.startswith(
        "Nothing asks memory.model: executive.yaml: memory.model.model is '/nowhere/small.gguf', "
        'which is no file: give the path of a GGUF file'
    )
