"""A pseudo-random number for every pair of nodes that nobody has to store."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from philia._types import UInt32Array


def mixed(bits: UInt32Array) -> UInt32Array:
    """A 32-bit integer hash that scatters every input bit over all output bits (the finalizer of MurmurHash3)."""
    bits = bits ^ (bits >> np.uint32(16))
    bits = bits * np.uint32(0x85EBCA6B)
    bits = bits ^ (bits >> np.uint32(13))
    bits = bits * np.uint32(0xC2B2AE35)
    return np.asarray(bits ^ (bits >> np.uint32(16)))


@lru_cache(maxsize=8)
def node_keys(n: int, seed: int) -> UInt32Array:
    """One pseudo-random key a node; a pair's number is ``mixed`` of the two keys' exclusive or."""
    # Philox is counter-based: the first m keys are the same whatever n >= m is asked for.
    raw = np.random.Philox(key=seed).random_raw(n)
    keys = (raw >> np.uint64(32)).astype(np.uint32)
    keys.flags.writeable = False
    return keys
