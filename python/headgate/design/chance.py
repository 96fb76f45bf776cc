"""Random numbers of designs: one stream for each purpose, keyed by a seed and its name.

A design that gets centre points keeps the order of its other draws, as no purpose shares a stream.
"""

import hashlib

import numpy as np


def stream(seed: int, *names: str) -> np.random.Generator:
    """Return the stream of this seed and name, the same on every machine."""
    key = hashlib.sha256("\0".join((str(seed), *names)).encode()).digest()
    return np.random.default_rng(int.from_bytes(key[:16], "little"))
