"""How well the model tells links from other pairs: on pairs it did not see where there are any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, xlogy

from philia._types import Float64Array
from philia.evaluate.estimated_links import weighted_order
from philia.models import CommunityModel
from philia.objective.likelihood import sample_pairs
from philia.pairs.calibration import calibrate
from philia.report.words import counted

PAIRS = 2**20
"""All pairs are judged where there are fewer; beyond, all links and about so many others, likely ones more often."""

_LOOK = 2**16
_MANY = 2.0
"""A model may expect so many times the links that there are without having fewer pairs drawn for it."""

_DRAWN = 4.0
"""So many times the pairs asked for may be drawn to find some that are held out."""


@dataclass(frozen=True, eq=False)
class JudgedPairs:
    """The scores of all links, and of other pairs with the chance that each had to be among them.

    Every other pair counts for one over its chance, so sums stand for all pairs (Horvitz and Thompson).

    >>> judged = JudgedPairs(np.array([0.0]), np.array([0.0]), np.array([2.0]), held_out=False)
    >>> judged.pairs, judged.mean_log_likelihood
    (3.0, -0.69...)
    """

    links: Float64Array
    others: Float64Array
    weights: Float64Array
    held_out: bool

    @classmethod
    def of(cls, model: CommunityModel, pairs: int = PAIRS) -> JudgedPairs:
        """The pairs held out of a fit, or without any those that it saw."""
        graph, factors, held_out = model.graph_, model.factors_, model.held_out_
        rng = np.random.default_rng(0)
        if held_out is None or held_out.expected(graph.n_nodes) > pairs:
            pairs = _affordable(model, pairs, rng)
        sample = sample_pairs(graph, factors, model.loss, rng, pairs, held_out)
        scores, linked = factors.scores(sample.rows, sample.columns), sample.linked
        return cls(scores[linked], scores[~linked], sample.weights[~linked], held_out is not None)

    @property
    def pairs(self) -> float:
        """How many pairs they stand for."""
        return len(self.links) + float(np.sum(self.weights))

    def told(self, count: float) -> int:
        """A number of pairs in as many digits as are known: three, unless every pair is among them."""
        return round(count) if self.exact else int(float(f"{count:.3g}"))

    @property
    def exact(self) -> bool:
        """Whether every pair is among them."""
        return bool((self.weights == 1).all())

    @property
    def mean_log_likelihood(self) -> float:
        """The mean, over all pairs, of the log-probability of what is there."""
        links, others = -np.logaddexp(0, -self.links), -np.logaddexp(0, self.others)
        return float((links.sum() + np.sum(others * self.weights)) / self.pairs)

    @property
    def density_alone(self) -> float:
        """The same if all pairs had the probability that is the share of links among them."""
        share = len(self.links) / self.pairs
        return float(xlogy(share, share) + xlogy(1 - share, 1 - share))

    @property
    def explained(self) -> float:
        """The share of what the density alone leaves open that the model knows: 1 is everything, 0 nothing."""
        return 1 - self.mean_log_likelihood / self.density_alone


def _affordable(model: CommunityModel, pairs: int, rng: np.random.Generator) -> int:
    """How many pairs to ask for, so that about ``pairs`` are drawn.

    Pairs are drawn the more often the likelier they are, as if the model expected about as many links as there are. One
    whose fit was ended early may expect thousands of times as many, and would have as many drawn. Where few pairs are
    held out, many are drawn for each that is kept.
    """
    n, factors = model.graph_.n_nodes, model.factors_
    if n * (n - 1) <= pairs:  # all are taken
        return pairs
    rows = rng.integers(n, size=_LOOK)
    others = (rows + rng.integers(1, n, size=_LOOK)) % n
    expected = float(expit(factors.scores(rows, others)).mean()) * n * (n - 1) / 2
    kept = 1.0 if model.held_out_ is None else model.held_out_.random_share
    return max(1, int(pairs * min(1.0, _MANY * model.graph_.n_links / max(expected, 1.0)) * min(1.0, _DRAWN * kept)))


def quality(judged: JudgedPairs) -> dict[str, Any] | None:
    """The section of the payload; None where there are no links to tell from others, or no others.

    >>> found = quality(JudgedPairs(np.array([2.0]), np.array([-1.0]), np.array([1.0]), held_out=True))
    >>> found["auc"], found["auc_interval"], found["held_out"]
    (1.0, None, True)
    """
    auc, precision = weighted_order(judged.links, judged.others, judged.weights)
    if auc is None or precision is None:
        return None
    return {
        "held_out": judged.held_out,
        "pairs": judged.told(judged.pairs),
        "links": len(judged.links),
        "auc": auc.value,
        "auc_interval": None if auc.exact else [auc.lower, auc.upper],
        "average_precision": precision.value,
        "mean_log_likelihood": judged.mean_log_likelihood,
        "density_alone": judged.density_alone,
        "calibration": calibration(judged),
        "words": _words(judged, auc.value),
    }


def calibration(judged: JudgedPairs) -> dict[str, list[float]]:
    """Predicted and observed rates of links, bin by bin, with the interval of each observed one.

    >>> sure = JudgedPairs(np.array([0.0]), np.array([0.0]), np.array([1.0]), held_out=False)
    >>> calibration(sure)["predicted"], calibration(sure)["observed"], calibration(sure)["pairs"]
    ([0.5], [0.5], [2])
    """
    found = calibrate(
        np.repeat([True, False], [len(judged.links), len(judged.others)]),
        expit(np.concatenate([judged.links, judged.others])),
        weights=np.concatenate([np.ones(len(judged.links)), judged.weights]),
    )
    low, high = found.intervals
    return {
        "predicted": found.predicted.tolist(),
        "observed": found.observed.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
        "pairs": found.counts.tolist(),
    }


def _words(judged: JudgedPairs, auc: float) -> str:
    links, others = counted(len(judged.links), "link"), judged.told(judged.pairs - len(judged.links))
    said = (
        f"These are pairs that were hidden from the fit: {links} and {others:,} other pairs."
        if judged.held_out
        else "No pairs were hidden from the fit, so these numbers are about the pairs it saw. They show how closely "
        "the model follows them, and are not a test; fit again with --held-out 0.1 (held_out=0.1 in Python) for one."
    )
    said += (
        f" Of a linked pair and one that is not, drawn at random, the model gives the linked one the higher "
        f"probability in {100 * auc:.1f} % of cases; guessing gets 50 %."
    )
    if not judged.exact:
        said += f" All links are used, and {len(judged.others):,} drawn pairs stand for the rest."
    return said
