"""The explanation of one link as a picture: from the baseline, community by community, to the total."""

from __future__ import annotations

import math
from dataclasses import dataclass

from matplotlib.axes import Axes
from scipy.special import logit

from philia.explain import LinkExplanation, Reason
from philia.explain.links import factor_in_words, odds_in_words
from philia.plots.style import ATTRACT, FAINT, LABEL, NEUTRAL, REPEL, TICK, axes_or_new, label, literal, open_frame

_BARS = 10
"""The most bars that are legible; further reasons share the last one."""

_PROBABILITIES = (1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999)
"""Probabilities that may get a tick: decades, and quarters in the middle, where log-odds are close together."""


@dataclass(frozen=True)
class _Step:
    name: str
    start: float
    change: float
    color: str

    @property
    def end(self) -> float:
        return self.start + self.change


def waterfall(explanation: LinkExplanation, ax: Axes | None = None) -> Axes:
    """Bars from the baseline to the total in log-odds, each with its factor on the odds.

    >>> from philia import CommunityModel, plots
    >>> from philia.datasets import dating_app
    >>> model = CommunityModel(3, 2, penalty=1, random_state=0).fit(dating_app(60, cities=3, random_state=0).graph)
    >>> ax = plots.waterfall(model.explain(0, 1))
    >>> ax.get_yticklabels()[0].get_text(), ax.get_yticklabels()[-1].get_text()
    ('baseline', 'together')
    """
    steps = _steps(explanation)
    ax = axes_or_new(ax, 7.5, 2.1 + 0.42 * len(steps))
    for y, step in enumerate(steps):
        ax.barh(y, step.change, left=step.start, height=0.62, color=step.color)
        if y + 1 < len(steps):
            ax.plot([step.end, step.end], [y - 0.31, y + 1.31], color=FAINT, linewidth=1, zorder=0)
        _write_factor(ax, y, step)
    ax.axvline(0, color=NEUTRAL, linewidth=0.8, zorder=0)
    ax.set_yticks(range(len(steps)), [step.name for step in steps])
    ax.set_ylim(len(steps) - 0.4, -0.6)
    _set_limits(ax, steps)
    state = "linked" if explanation.linked else "not linked"
    title = (
        f"{literal(explanation.u)} and {literal(explanation.v)}\n"
        f"predicted probability {explanation.probability:.3g} ({state} in the data)"
    )
    label(ax, title=title, x="log-odds of a link  (above 0: more likely linked, below 0: more likely not)")
    ax.tick_params(axis="y", labelsize=LABEL, length=0)
    open_frame(ax)
    ax.spines["left"].set_visible(False)
    return ax


def _steps(explanation: LinkExplanation) -> list[_Step]:
    terms = [(_named(reason), reason.log_odds) for reason in explanation.strongest()]
    if len(terms) > _BARS:
        rest = terms[_BARS - 1 :]
        terms = [*terms[: _BARS - 1], (f"{len(rest)} more", math.fsum(change for _, change in rest))]
    steps = [_Step("baseline", 0.0, explanation.baseline, NEUTRAL)]
    for name, change in terms:
        steps.append(_Step(name, steps[-1].end, change, ATTRACT if change > 0 else REPEL))
    return [*steps, _Step("together", 0.0, explanation.logit, NEUTRAL)]


def _named(reason: Reason) -> str:
    if math.isnan(reason.affinities[0]):  # common neighbours, whose names would not fit
        return reason.community.split(", ")[0]
    return f"{reason.community} (finer structure)" if reason.finer else reason.community


def _write_factor(ax: Axes, y: int, step: _Step) -> None:
    forward = step.change >= 0
    whole = step.start == 0 and step.color == NEUTRAL  # baseline and total are odds, the others factors
    ax.annotate(
        odds_in_words(step.change) if whole else factor_in_words(step.change),
        (step.end, y),
        xytext=(5 if forward else -5, 0),
        textcoords="offset points",
        ha="left" if forward else "right",
        va="center",
        fontsize=10,
        color=NEUTRAL,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1},
    )


def _set_limits(ax: Axes, steps: list[_Step]) -> None:
    """Leave room for the bars and the text at their ends, and write probabilities along the upper edge."""
    ends = [0.0, *(step.end for step in steps)]
    low, high = min(ends), max(ends)
    room = 0.25 * max(high - low, 0.5)
    ax.set_xlim(low - room, high + room)
    top = ax.secondary_xaxis("top")
    shown: list[float] = []
    for p in _PROBABILITIES:
        inside = low - room <= logit(p) <= high + room
        if inside and (not shown or logit(p) - logit(shown[-1]) > 0.07 * (high - low + 2 * room)):
            shown.append(p)
    top.set_xticks([float(logit(p)) for p in shown], [f"{p:g}" for p in shown])
    top.set_xlabel("probability of a link", fontsize=TICK)
    top.tick_params(labelsize=TICK)
    top.spines["top"].set_color(FAINT)
