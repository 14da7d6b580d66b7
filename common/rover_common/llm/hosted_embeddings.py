"""An embedding model behind HTTP: OpenAI's protocol (hosted, OpenRouter, vLLM), Azure, Ollama."""

from __future__ import annotations

from collections.abc import Sequence
import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rover_common.config.settings import ModelSettings
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_retry import call_with_retries
from rover_common.llm.model_usage import CHARACTERS_PER_TOKEN
from rover_common.llm.provider_request import Wire

BATCH = 128  # texts of one request


class HostedEmbedder:
    """Implements `rover_common.llm.model_ports.Embedder`."""

    is_local = False

    def __init__(
        self, client: Any, settings: ModelSettings, wire: Wire, budget_tokens: int
    ) -> None:
        self._client, self._settings, self._wire = client, settings, wire
        self._budget, self.tokens = budget_tokens, 0  # tokens: estimated, of the request
        self.model = f'{settings.provider}/{settings.model}'

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder.embed`."""
        batches = [texts[at : at + BATCH] for at in range(0, len(texts), BATCH)]
        rows = [row for batch in batches for row in self._rows(list(batch))]
        try:
            made = np.array(rows, np.float32)
        except ValueError:
            made = np.zeros(0, np.float32)
        if made.ndim != 2 or len(made) != len(texts) or not np.isfinite(made).all():
            raise ModelError(f'{self.model} sent vectors that do not fit the texts.', again=False)
        lengths = np.linalg.norm(made, axis=1, keepdims=True)
        return (made / np.where(lengths > 0.0, lengths, 1.0)).astype(np.float32)

    def _rows(self, texts: list[str]) -> list[list[float]]:
        given_up = threading.Event()
        if self.tokens >= self._budget:
            sentence = f'The budget of {self._budget} tokens for {self.model} is used up.'
            raise ModelError(sentence, again=False)
        self.tokens += sum(map(len, texts)) // CHARACTERS_PER_TOKEN

        def once(by: float) -> list[list[float]]:
            with self._wire.request(given_up, by) as context:
                # Some servers refuse an empty text.
                rows: list[list[float]] = context.run(
                    self._client.embed_documents, [text or ' ' for text in texts]
                )
                return rows

        return call_with_retries(once, self._settings, given_up)
