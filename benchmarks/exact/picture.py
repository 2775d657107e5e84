"""The picture of docs/exact.md, ``python -m benchmarks.exact.picture``: columns found beside columns promised."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

from benchmarks.measuring import RESULTS
from philia.plots.style import ATTRACT, NEUTRAL, REPEL, label, open_frame

PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "exact_columns.png"
SERIES = (
    ("6 (4α² + 1)", "the paper, by arboricity", "^", NEUTRAL),
    ("6 (2c + 1)", "the paper, by largest degree", "v", NEUTRAL),
    ("4d + 2", "Theorem B, any line", "o", REPEL),
    ("columns", "Theorem B, line found", "o", ATTRACT),
    ("fitted", "fitted and certified", "*", ATTRACT),
)


def main() -> None:
    """Draw what was measured."""
    table = _kept("exact_columns")
    for name, found in _kept("exact_fitting").items():
        if name in table and isinstance(found["fitted"], int):
            table[name]["fitted"] = found["fitted"]
    names = list(table)
    figure, ax = plt.subplots(figsize=(8.5, 4.6), layout="constrained")
    for key, words, marker, colour in SERIES:
        at = [place for place, name in enumerate(names) if key in table[name]]
        filled = key in ("columns", "fitted")
        ax.scatter(
            at,
            [table[names[place]][key] for place in at],
            marker=marker,
            s=70 if marker == "*" else 38,
            facecolors=colour if filled else "none",
            edgecolors=colour,
            label=words,
            zorder=3,
        )
    ax.set_yscale("log")
    ax.set_xticks(range(len(names)), [f"{name}\n{table[name]['nodes']:,}" for name in names], fontsize=8.5)
    ax.grid(axis="y", alpha=0.25)
    ax.legend(frameon=False, fontsize=9, loc="upper left")
    label(
        ax,
        title="Nonnegative columns that represent a network exactly",
        x="network, and how many nodes it has",
        y="columns",
    )
    open_frame(ax)
    figure.savefig(PICTURE, dpi=110)


def _kept(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text())["result"]
    return found


if __name__ == "__main__":
    main()
