"""Significance: whether a community is there at all, judged by pairs that it was not found from.

A fitted strength says nothing about chance: communities forced on a random graph have large ones. So part of the pairs
is hidden, communities are found without them, and the strength of each is estimated on the hidden pairs alone, against
a background in which only popularity counts. All links are hidden once, in as many parts as there are folds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import scipy

from philia._text import no_attribute
from philia._types import Float64Array, Int64Array
from philia.explain.stability import matched_memberships
from philia.factors import CommunityFactors
from philia.factors.community import Kind
from philia.graphs import Graph
from philia.pairs import HeldOut, PairSample, seen
from philia.pairs.sample import Estimate
from philia.reading.length import RIDGE, fitted_popularity, popularity_classes

_CHANCE = 2.5
"""The z below which a community is not told from chance. One in 160 would be above if folds were independent; of
communities fitted to random graphs in a given number, 2 of 48 that attract and 2 of 80 that repel are."""

_NON_LINKS = 20
"""Pairs without a link that are hidden per hidden link: their weights add little noise to that of the links."""


@dataclass(frozen=True)
class CommunitySignificance:
    """One community on pairs that it was not found from: its strength there, the standard error, and z.

    ``z`` is the distance between the links that hidden pairs of members have and those that popularity alone would give
    them, in standard deviations; it is negative if they have fewer.

    >>> print(CommunitySignificance("B1", "homophilous", 2.5, 0.25, 9.8))
    B1: strength 2.50 ± 0.25 on hidden pairs, z = 9.8
    >>> print(CommunitySignificance("C1", "heterophilous", -0.2, 0.3, -0.6))
    C1: strength -0.20 ± 0.30 on hidden pairs, z = -0.6: not distinguishable from chance
    """

    name: str
    kind: Kind
    strength: float
    error: float
    z: float

    @property
    def real(self) -> bool:
        """Whether hidden pairs tell the community from chance."""
        return (self.z if self.kind == "homophilous" else -self.z) >= _CHANCE

    @property
    def shown_z(self) -> str:
        """z with one digit, without a sign if that is 0."""
        return f"{round(self.z, 1) + 0.0:.1f}"

    def in_words(self) -> str:
        """The strength, its error and z, and a warning if they may be chance."""
        said = f"strength {self.strength:.2f} ± {self.error:.2f} on hidden pairs, z = {self.shown_z}"
        return said if self.real else f"{said}: not distinguishable from chance"

    def __str__(self) -> str:
        return f"{self.name}: {self.in_words()}"


_HABITS = {
    **dict.fromkeys(
        ("pvalues", "p_values", "pvalue", "p"),
        "significance.of('B1').z says how sure a community is; from 2.5 on it is real",
    ),
    **dict.fromkeys(("to_pandas", "to_frame"), "model.communities().to_pandas() has the columns z and error"),
}
"""What users of other libraries write from habit, and what there is instead."""


@dataclass(frozen=True)
class Significance:
    """The significance of every community of a model.

    >>> one = CommunitySignificance("B1", "homophilous", 2.5, 0.25, 9.8)
    >>> Significance(5, (one,)).of("B1").real, Significance(5, (one,)).of("C1")
    (True, None)
    """

    folds: int
    communities: tuple[CommunitySignificance, ...]

    if not TYPE_CHECKING:  # type checkers should know that there are no such names

        def __getattr__(self, name: str) -> NoReturn:
            raise no_attribute(self, name, _HABITS)

    def of(self, name: str) -> CommunitySignificance | None:
        """The significance of the community of this name."""
        return next((community for community in self.communities if community.name == name), None)

    def in_words(self) -> str:
        """How many communities hidden pairs confirm, and how sure the surest and the least sure one are.

        >>> one = CommunitySignificance("B1", "homophilous", 2.5, 0.25, 9.8)
        >>> two = CommunitySignificance("B2", "homophilous", 0.3, 0.25, 1.2)
        >>> print(Significance(5, (one, two)).in_words())
        Hidden pairs confirm 1 of 2 communities; the rest is not distinguishable from chance. The surest is B1, with a
        strength of 2.50 ± 0.25 on hidden pairs, and the least sure is B2, with 0.30 ± 0.25.
        """
        if not self.communities:
            return "There are no communities for hidden pairs to confirm."
        real, count = sum(community.real for community in self.communities), len(self.communities)
        rest = "" if real == count else "; the rest is not distinguishable from chance"
        order = sorted(self.communities, key=lambda community: -abs(community.z))
        said = [f"{c.strength:.2f} ± {c.error:.2f}" for c in order]
        surest = f"The surest is {order[0].name}, with a strength of {said[0]} on hidden pairs"
        least = f", and the least sure is {order[-1].name}, with {said[-1]}" if count > 1 else ""
        many = "communities" if count > 1 else "community"
        return f"Hidden pairs confirm {real:,} of {count:,} {many}{rest}. {surest}{least}."

    def __str__(self) -> str:
        return "\n".join(map(str, self.communities)) or "the model has no communities"

    __repr__ = __str__


def heterophily_in_words(gain: Estimate) -> str:
    """How heterophilous a network is, in a sentence.

    >>> print(heterophily_in_words(Estimate(0.12, 0.08, 0.16)))
    How heterophilous the network is: communities that repel raise the log-likelihood of hidden links by 0.12 nats per
    link (95 %: 0.08 to 0.16).
    """
    begin = "How heterophilous the network is:"
    if gain.exact:
        return f"{begin} no community repels."
    interval = f"(95 %: {gain.lower:.2g} to {gain.upper:.2g})"
    if gain.lower <= 0:
        return (
            f"{begin} communities that repel make hidden links no likelier, {gain.value:.2g} nats per link {interval}."
        )
    raised = f"raise the log-likelihood of hidden links by {gain.value:.2g} nats per link"
    return f"{begin} communities that repel {raised} {interval}."


def significance_folds(
    graph: Graph, held_out: HeldOut | None, folds: int, rng: np.random.Generator
) -> Iterator[tuple[PairSample, HeldOut]]:
    """Pairs to hide in each fold, and the same together with those held out anyway; every known link is in one fold."""
    known, n = seen(graph, held_out), graph.n_nodes
    links = np.stack(known.links)[:, rng.permutation(known.n_links)]
    for part in np.array_split(links, folds, axis=1):
        drawn = np.sort(rng.integers(n, size=(2, _NON_LINKS * part.shape[1] + 100)), axis=0)
        drawn = np.unique(drawn[:, drawn[0] < drawn[1]], axis=1)
        free = ~graph.linked(*drawn)
        if held_out is not None:
            free &= ~held_out.contains(*drawn)
        others = drawn[:, free]
        stand_for = (n * (n - 1) / 2 - known.n_links) / folds / max(1, others.shape[1])
        weights = np.repeat([1.0, max(1.0, stand_for)], [part.shape[1], others.shape[1]])
        sample = PairSample.of_links(n, (part[0], part[1]), (others[0], others[1]), weights)
        yield sample, sample.held_out_with(held_out, graph)


def with_background(folds: Sequence[tuple[Graph, PairSample]]) -> list[PairSample]:
    """The pairs of each fold with the log-odds that popularity alone gives them, from the links visible in that fold.

    Communities are found from visible links, so members are nodes that happen to have many of them, inside a community
    that attracts or outside one that repels, and have fewer when hidden. How much of the popularity remains is learned
    on the hidden pairs of all folds: the log-odds are a line in it.
    """
    popularity = []
    for visible, sample in folds:
        classes = popularity_classes(visible.degrees)
        a = fitted_popularity(visible.degrees, classes)[classes]
        popularity.append(a[sample.rows] + a[sample.columns])
    y, weights, _, _ = (np.concatenate(values) for values in _columns([sample for _, sample in folds]))
    x = np.concatenate(popularity)
    mean = np.average(x, weights=weights)
    X, line = np.stack([np.ones(len(x)), x - mean], axis=1), np.zeros(2)
    for _ in range(100):
        p = scipy.special.expit(X @ line)
        information = (X * (weights * p * (1 - p))[:, None]).T @ X + 1e-9 * np.eye(2)
        step = np.clip(np.linalg.solve(information, X.T @ (weights * (y - p))), -1, 1)
        line += step
        if np.abs(step).max() < 1e-9:
            break
    return [
        replace(sample, offsets=line[0] + line[1] * (own - mean))
        for own, (_, sample) in zip(popularity, folds, strict=True)
    ]


def measure_significance(
    reference: CommunityFactors, folds: Sequence[tuple[CommunityFactors, PairSample]]
) -> Significance:
    """The significance of each community, from the communities that each fold found and the pairs that it hid.

    Communities are matched one to one with those of the reference. The offsets of the pairs are the background.
    """
    normal, found = matched_memberships(reference, [factors for factors, _ in folds])
    parts = []
    for memberships, (_, sample) in zip(found, folds, strict=True):
        features = memberships[sample.rows] * memberships[sample.columns]
        parts.append((features, sample))
    measured = []
    for c, (name, kind) in enumerate(zip(normal.names, normal.kinds, strict=True)):
        strength, error, z = _tested([(features[:, c], sample) for features, sample in parts])
        measured.append(CommunitySignificance(name, kind, strength, error, z))
    return Significance(len(folds), tuple(measured))


def _tested(parts: Sequence[tuple[Float64Array, PairSample]]) -> tuple[float, float, float]:
    """The strength that a feature has in the log-odds of some pairs, its standard error, and z.

    With few hidden links the score test overstates an excess, and the likelihood ratio a lack; z is the smaller one.
    """
    x = np.concatenate([feature for feature, _ in parts])
    rows = np.flatnonzero(x)
    x, (y, weights, offsets, spread) = (
        x[rows],
        (np.concatenate(values)[rows] for values in _columns([sample for _, sample in parts])),
    )
    strength, information = 0.0, 2 * RIDGE
    for _ in range(100):
        p = scipy.special.expit(offsets + strength * x)
        information = float((weights * p * (1 - p) * x**2).sum()) + 2 * RIDGE
        step = (float((weights * (y - p) * x).sum()) - 2 * RIDGE * strength) / information
        strength += float(np.clip(step, -1, 1))
        if abs(step) < 1e-9:
            break
    p = scipy.special.expit(offsets)
    chance = max(float((weights * p * (1 - p) * x**2).sum()), 1e-12)
    deviation = np.sqrt(chance + float((spread * (p * x) ** 2).sum()))
    score = float((weights * (y - p) * x).sum())
    likelier = weights * (strength * x * y - np.logaddexp(0, offsets + strength * x) + np.logaddexp(0, offsets))
    root = np.sqrt(2 * max(float(likelier.sum()), 0.0) * chance)
    return strength, float(1 / np.sqrt(information)), float(np.sign(score) * min(abs(score), root) / deviation)


def _columns(samples: Sequence[PairSample]) -> list[list[Float64Array | Int64Array]]:
    """Whether pairs are linked, their weights, offsets and spreads."""
    return [
        [sample.linked.astype(np.float64) for sample in samples],
        [sample.weights for sample in samples],
        [np.broadcast_to(sample.offsets, sample.weights.shape) for sample in samples],
        [sample.spread for sample in samples],
    ]
