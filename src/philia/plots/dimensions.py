"""How the error falls with the number of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from matplotlib.axes import Axes

from philia.plots.comparisons import curves
from philia.plots.style import NEUTRAL, TICK, label


class Erring(Protocol):
    """What has an error relative to the sum of the adjacency matrix, such as ``philia.evaluate.Reconstruction``."""

    @property
    def normalized(self) -> float:
        """The sum of squared errors divided by the sum of the adjacency matrix."""


Errors = Sequence[Erring | float] | Erring | float
"""One error, or one a seed."""


_TICKS = 12
"""Up to so many numbers of columns each is written at the axis."""


def error_by_dimension(
    found: Mapping[str, Mapping[int, Errors]], ax: Axes | None = None, *, floor: float | None = None
) -> Axes:
    """The reconstruction error against the number of columns, a curve a method; 1 is what predicting nothing gives.

    ``found`` holds what ``philia.evaluate.reconstruction`` gave, by method and number of columns, or such errors as
    numbers; one or several, from several seeds, which make a band. ``floor`` is an error that nobody can be expected to
    fall below, such as that of the true probabilities.

    >>> from philia import SVD, plots
    >>> from philia.datasets import classic
    >>> from philia.evaluate import reconstruction
    >>> karate = classic("karate")
    >>> errors = {k: reconstruction(karate, SVD(k).fit(karate).expected_block) for k in (2, 4, 8)}
    >>> plots.error_by_dimension({"SVD": errors}).lines[0].get_ydata().round(2).tolist()
    [0.55, 0.35, 0.16]
    """
    ax = curves({method: {k: _numbers(errors) for k, errors in by.items()} for method, by in found.items()}, ax)
    title, x, y = "Reconstruction error", "numbers a node (columns)", "squared error / sum of the adjacency matrix"
    label(ax, title=title, x=x, y=y)
    columns = sorted({k for by in found.values() for k in by})
    if len(columns) <= _TICKS:
        ax.set_xticks(columns)
    ax.set_ylim(bottom=0.0)
    if floor is not None:
        ax.axhline(floor, color=NEUTRAL, linewidth=0.9, linestyle="--", zorder=0)
        ax.annotate("at best", (1, floor), xycoords=("axes fraction", "data"), ha="right", va="bottom", fontsize=TICK)
    return ax


def _numbers(errors: Errors) -> list[float]:
    several = errors if isinstance(errors, Sequence) else [errors]
    return [float(error) if isinstance(error, (int, float)) else error.normalized for error in several]
