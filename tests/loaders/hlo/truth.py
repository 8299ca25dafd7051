"""The numbers of the programs in `programs`, by hand.

`MULTIPLY_ADDS` has what the matmuls and convolutions of a training step take, forward and backward,
`PARAMETERS` the size of the model.
"""

from __future__ import annotations

STEPS = 3
MEMORY_PARTS = ("temp", "output", "argument")
"""The sizes that JAX tells of a compiled program."""
BLOCKS, WIDTH, BATCH, LENGTH, VOCABULARY = 3, 32, 8, 16, 50

_MLP = 128 * (64 * 256 + 256 * 256 + 256 * 8)
_FIRST, _SECOND = 8 * 16 * 16 * 16 * (9 * 3), 8 * 8 * 8 * 32 * (9 * 16)
_DEPTH, _POINT = 8 * 16 * 16 * 16 * 9, 8 * 16 * 16 * 32 * 16
_TOKENS = BATCH * LENGTH
_BLOCK = _TOKENS * (12 * WIDTH * WIDTH + 2 * LENGTH * WIDTH)
_TRANSFORMER = 3 * (BLOCKS * _BLOCK + _TOKENS * WIDTH * VOCABULARY)

MULTIPLY_ADDS = {
    # The backward pass takes twice as many, but no gradient of the first layer's input is needed.
    "mlp": 3 * _MLP - 128 * 64 * 256,
    "cnn": 2 * _FIRST + 3 * _SECOND + 3 * 8 * 32 * 10,
    "depthwise": 2 * _DEPTH + 3 * _POINT,
    "lstm": 3 * 20 * 16 * (24 + 32) * 4 * 32,
    "transformer": _TRANSFORMER,
    "scanned_transformer": _TRANSFORMER,
    "remat_transformer": _TRANSFORMER,
}

PARAMETERS = {
    "mlp": 64 * 256 + 256 + 256 * 256 + 256 + 256 * 8 + 8,
    "cnn": 9 * 3 * 16 + 9 * 16 * 32 + 320,
    "depthwise": 9 * 16 + 16 * 32,
    "lstm": 56 * 128 + 128,
    **dict.fromkeys(
        ("transformer", "scanned_transformer", "remat_transformer"),
        2 * VOCABULARY * WIDTH + BLOCKS * 12 * WIDTH * WIDTH,
    ),
}
