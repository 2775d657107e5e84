"""Link weights: the confidence in each link, or how often it was observed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from philia._types import Float64Array
from philia.exceptions import InvalidGraphError
from philia.graphs.nodes import Nodes


def weight_values(found: Iterable[Any]) -> Float64Array:
    """The weights as numbers: 1 for None, a link without a weight, and NaN for anything that is not a number.

    >>> weight_values([2, None, "0.5", "much"])
    array([2. , 1. , 0.5, nan])
    """
    return np.array([1.0 if weight is None else weight_value(weight) for weight in found], np.float64)


def weight_value(weight: Any) -> float:
    """A weight as a number, NaN if it is not one.

    >>> weight_value(b"2.5"), weight_value("much")
    (2.5, nan)
    """
    try:
        return float(weight)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def check_weights(rows: npt.NDArray[Any], columns: npt.NDArray[Any], nodes: Nodes, weights: Float64Array) -> None:
    """Raise an error for the first weight that is not a finite number above 0; those of self-loops do not matter.

    >>> check_weights(np.array([0]), np.array([1]), Nodes(["ann", "bob"]), np.array([-2.0]))
    Traceback (most recent call last):
    philia.exceptions.InvalidGraphError: the link of 'ann' and 'bob' has the weight -2.0; ...
    """
    wrong = ~(np.isfinite(weights) & (weights > 0)) & (rows != columns)
    if not wrong.any():
        return
    first = int(np.argmax(wrong))
    u, v = nodes.pick(np.array([rows[first], columns[first]]))
    weight = weights[first]
    found = "a weight that is not a number" if np.isnan(weight) else f"the weight {weight}"
    raise InvalidGraphError(
        f"the link of {u!r} and {v!r} has {found}; a weight is a confidence or a count, a finite number above "
        "0. Remove the link, give it such a weight, or read the links without their weights"
    )


HEAVIEST = 1e150
"""The largest total of weights: fits square sums of weights, which have to stay below 1.8e308, the largest double."""


def check_total(rows: npt.NDArray[Any], columns: npt.NDArray[Any], nodes: Nodes, weights: Float64Array) -> None:
    """Raise an error for weights, one per link, whose total is too large to compute with.

    >>> check_total(np.array([0]), np.array([1]), Nodes(["ann", "bob"]), np.array([1e200]))
    Traceback (most recent call last):
    philia.exceptions.InvalidGraphError: the weights add up to more than 1e+150, the most ...
    """
    heaviest = int(np.argmax(weights)) if weights.size else 0
    if not weights.size or (weights[heaviest] <= HEAVIEST and weights.sum() <= HEAVIEST):
        return
    u, v = nodes.pick(np.array([rows[heaviest], columns[heaviest]]))
    raise InvalidGraphError(
        f"the weights add up to more than {HEAVIEST:g}, the most that can be computed with; the link of {u!r} and "
        f"{v!r} has the largest, {weights[heaviest]:g}, repetitions included. Divide all weights by the same number, "
        "or read the links without their weights"
    )


def written_weight(weight: float) -> str:
    """A weight as text that reads back as the same number.

    >>> written_weight(2.0), written_weight(0.1), written_weight(1e-7)
    ('2', '0.1', '1e-07')
    """
    return str(int(weight)) if weight.is_integer() and weight < 2**53 else repr(weight)
