"""Names for the arrays that cross module borders."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.floating[Any]]
Float64Array = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.integer[Any]]
Int64Array = npt.NDArray[np.int64]
UInt32Array = npt.NDArray[np.uint32]
BoolArray = npt.NDArray[np.bool_]

Node = Hashable
"""A node's name: whatever the user's file or object calls it."""

Pair = tuple[Node, Node]
