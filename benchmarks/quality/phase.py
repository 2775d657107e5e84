"""A picture of where planted communities are found, by how strong their signal is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.experiment import Result
from philia.plots.style import label

Pick = Callable[[Result], float | None]


def phase(results: Sequence[Result], *, chosen: bool) -> Figure:
    """A map of the F1 of either kind, and with ``chosen`` one of the numbers that were chosen; strengths go right."""
    kinds = sorted({(r.settings["n_homophilous"], r.settings["n_heterophilous"]) for r in results})
    strengths = sorted({r.settings["attraction"] for r in results})
    maps: dict[str, tuple[Pick, Pick]] = {
        "F1, communities that attract": (_f1("homophilous"), _f1("homophilous")),
        "F1, communities that repel": (_f1("heterophilous"), _f1("heterophilous")),
    }
    if chosen:
        maps["number that attracts, chosen"] = (_nearness(0), _number(0))
        maps["number that repels, chosen"] = (_nearness(1), _number(1))
    figure = Figure(figsize=(3.6 * len(maps) + 0.8, 4.2), layout="constrained", dpi=130)
    for place, (title, (shade, text)) in enumerate(maps.items()):
        ax = figure.add_subplot(1, len(maps), place + 1)
        _draw(ax, _means(results, kinds, strengths, shade), _means(results, kinds, strengths, text))
        label(ax, title=title, x="attraction", y="planted k_B + k_C" if place == 0 else "")
        ax.set_xticks(range(len(strengths)), [f"{s:g}" for s in strengths])
        ax.set_yticks(range(len(kinds)), [f"{k_B} + {k_C}" for k_B, k_C in kinds] if place == 0 else [""] * len(kinds))
    return figure


def _means(results: Sequence[Result], kinds: Sequence[Any], strengths: Sequence[float], pick: Pick) -> Any:
    """The mean over seeds for every kind and strength; nan where there is none."""
    means = np.full((len(kinds), len(strengths)), np.nan)
    for row, kind in enumerate(kinds):
        for column, strength in enumerate(strengths):
            told = dict(zip(("n_homophilous", "n_heterophilous", "attraction"), (*kind, strength), strict=True))
            same = [pick(r) for r in results if told.items() <= dict(r.settings).items()]
            values = [value for value in same if value is not None]
            if values:
                means[row, column] = np.mean(values)
    return means


def _draw(ax: Axes, shades: Any, texts: Any) -> None:
    ax.imshow(np.ma.masked_invalid(shades), cmap="Blues", vmin=0, vmax=1.25, aspect="auto")
    for row, column in np.ndindex(texts.shape):
        if np.isfinite(texts[row, column]):
            text = f"{texts[row, column]:.1f}" if texts.max(initial=0, where=np.isfinite(texts)) > 1 else None
            dark = shades[row, column] > 0.75
            ax.text(
                column, row, text or f"{texts[row, column]:.2f}", ha="center", va="center", fontsize=8.5,
                color="white" if dark else "black",
            )  # fmt: skip
    ax.tick_params(length=0)


def _f1(kind: str) -> Pick:
    return lambda result: float(result.values[kind]["f1"]) if kind in result.values else None


def _number(place: int) -> Pick:
    return lambda result: float(result.values["numbers"][place])


def _nearness(place: int) -> Pick:
    """1 where the number is right, less the further it is off as a share of what was planted."""

    def pick(result: Result) -> float:
        known = float((result.settings["n_homophilous"], result.settings["n_heterophilous"])[place])
        return max(0.0, 1 - abs(float(result.values["numbers"][place]) - known) / max(known, 1))

    return pick
