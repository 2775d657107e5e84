"""Hashing: a pseudo-random number for every pair of nodes, computed instead of stored."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from philia._types import UInt32Array


def mixed(bits: UInt32Array) -> UInt32Array:
    """A 32-bit hash in which every input bit affects all output bits (the finalizer of MurmurHash3)."""
    bits = bits ^ (bits >> np.uint32(16))
    bits = bits * np.uint32(0x85EBCA6B)
    bits = bits ^ (bits >> np.uint32(13))
    bits = bits * np.uint32(0xC2B2AE35)
    return np.asarray(bits ^ (bits >> np.uint32(16)))


@lru_cache(maxsize=8)
def node_keys(n: int, seed: int) -> UInt32Array:
    """A pseudo-random key per node; the number of a pair is ``mixed`` of the exclusive or of its two keys."""
    # Philox is counter-based: the first m keys are the same for every n >= m.
    raw = np.random.Philox(key=seed).random_raw(n)
    keys = (raw >> np.uint64(32)).astype(np.uint32)
    keys.flags.writeable = False
    return keys
