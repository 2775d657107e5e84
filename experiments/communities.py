"""Figure 5, left: how similar the communities are to known labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.sparse.linalg import LinearOperator, eigsh

from experiments.data import dataset, split_by_norms, split_by_signs
from experiments.experiment import WHOLE, Claim, Experiment, Result, Scope, Table, Task, on_all, verdict
from experiments.methods import (
    FAMILIES,
    GRID,
    OWN,
    SAME,
    Make,
    Shape,
    bigclam,
    normalized_cuts,
    ours,
    smooth_vgraph,
    soft_clustering,
    symnmf,
    vgraph,
)
from experiments.summaries import by_dataset, grid, listed, mean
from experiments.tuning import best_settings
from philia._types import Float64Array
from philia.evaluate import CommunityScores, compare_communities, trivial_covers
from philia.explain import normalize
from philia.models import LinkModel
from philia.plots.comparisons import bars

OURS = "CommunityModel"
PAPERS = ("SymNMF", "BigClam", "VGraph")
TRIVIAL = ("one community of all nodes", "connected components")
NEAR = 0.9
"""Competitive means at least this share of the best other method's score."""

ROOM = "room to grow"
"""Not a method: what is known before a fit about the communities that it can hold."""

AUTHORS = "CommunityModel, the authors' split"
"""Split by the norms of converted columns instead of by signs."""

METHODS: dict[str, Make] = {
    **{name: family(SAME) for name, family in FAMILIES.items()},
    "VGraph": vgraph,
    "CommunityModel, spectral start": ours(10, "spectral"),
    AUTHORS: ours(10),
    "CommunityModel, penalty 1": ours(1),
    "CommunityModel, penalty 0.1": ours(0.1),
    "BigClam, no penalty": bigclam(include_diagonal=False),
    "SymNMF, no penalty": symnmf(),
    "VGraph, smooth": smooth_vgraph,
    "SoftClustering": soft_clustering,
    "NormalizedCuts": normalized_cuts,
}

RULES = ("density", "membership of 0.5", "split", "strongest column", "attracting only")
"""The membership rules that are compared."""


class GroundTruth(Experiment):
    """Communities compared with labels."""

    name = "communities"
    variations = (*(method for method in METHODS if "," in method), ROOM)
    title = "Figure 5, left: communities against known labels"
    about = (
        "Each model has as many communities as there are labels; the two-way best-match F1 of Yang and Leskovec "
        "compares them. The paper names the measure and not the settings, so there are two readings. *Same settings*: "
        "the three factor models have the paper's penalty of 10 and its random start; the paper says of Figure 4 alone "
        "that the other methods are not penalized. *Own settings*: each has the penalty of 0, 0.1, 1 or 10 and the "
        "random or spectral start that predict a hidden tenth of the pairs best, by average precision; labels have no "
        "say. VGraph has no penalty and is the same in both. The models of the first reading have every seed, all "
        "others the first. The CommunityModel's columns are split by the signs of the leading eigenvalues; all its "
        "communities count, attracting and repelling. The paper does not say when a node is a member. Here its "
        "affinity must reach √(−log(1 − density)), as in BigClam, for all models except VGraph, which has its authors' "
        "rule (the communities of a node's links), and NormalizedCuts, which is a partition; the tables by membership "
        "rule have others. Trivial covers are shown for comparison. The search of VGraph was chosen by its own bound, "
        "but on these networks."
    )

    def tasks(self, scope: Scope) -> Iterator[Task]:
        """Every method on every network, with every seed where the method is random."""
        for name in scope.datasets:
            for cover in TRIVIAL:
                yield Task(self.name, name, cover, 0, {}, partial(_trivial, name, cover))
            for method in METHODS:
                seeds = scope.seeds if method in (OURS, *PAPERS) else scope.seeds[:1]
                for seed in seeds:
                    run = partial(_find, name, method, seed, scope.iterations)
                    yield Task(self.name, name, method, seed, {"iterations": scope.iterations}, run)
            run = partial(_room_to_grow, name, scope.seeds[0], scope.iterations)
            settings = {"iterations": scope.iterations, "penalty": SAME.penalty}
            yield Task(self.name, name, ROOM, scope.seeds[0], settings, run)
            for method in FAMILIES:
                run = partial(_find_at_its_best, name, method, scope.seeds[0], scope.iterations)
                settings = {"iterations": scope.iterations, "grid": len(GRID)}
                yield Task(self.name, name, method + OWN, scope.seeds[0], settings, run)

    def tables(self, results: Sequence[Result]) -> list[Table]:
        """F1, both NMIs, the omega index, and F1 by membership rule."""
        measures = {
            "f1": "Two-way best-match F1",
            "nmi_lfk": "Overlapping NMI (LFK)",
            "nmi_mgh": "Overlapping NMI (MGH)",
            "omega": "Omega index",
        }
        tables = [Table(title, *grid(by_dataset(results, _scores("density", key)))) for key, title in measures.items()]
        return [*tables, *_by_rule(results), chosen_table(results), _room_table(results)]

    def figures(self, results: Sequence[Result]) -> dict[str, tuple[Figure, str]]:
        """F1 by network."""
        shown = [r for r in results if r.method in (OURS, *PAPERS, *TRIVIAL)]
        figure = Figure(figsize=(11, 4.2), layout="constrained", dpi=130)
        ax = figure.subplots()
        bars(by_dataset(shown, _scores("density", "f1")), ax, faint=TRIVIAL)
        ax.set_title("Similarity of communities to labels (two-way best-match F1)", loc="left")
        return {"communities.png": (figure, "F1 against known labels; gray bars are trivial covers.")}

    def claims(self, results: Sequence[Result]) -> list[Claim]:
        """Whether ours is competitive, also with trivial covers, and whether vGraph runs on Blog."""
        found = by_dataset(results, _scores("density", "f1"))
        return [
            *both_readings(found, PAPERS, "Figure 5, left"),
            _rule_decides(results),
            *(_beats_trivial(f1, reading) for reading, f1 in in_both_readings(found).items()),
            _can_grow(results),
            _memory(results),
        ]


Found = Mapping[str, Mapping[str, Sequence[float]]]


def in_both_readings(found: Found) -> dict[str, Found]:
    """The same figures with the same settings for all models, and with each model's own.

    >>> found = {"blog": {"BigClam": [0.5], "BigClam, own settings": [0.6], "VGraph": [0.4]}}
    >>> in_both_readings(found)["own settings"]
    {'blog': {'BigClam': [0.6], 'VGraph': [0.4]}}
    """
    own = {
        name: {method.removesuffix(OWN): seeds for method, seeds in _with_own_settings(values).items()}
        for name, values in found.items()
    }
    return {"same settings": found, "own settings": own}


def both_readings(found: Found, others: Sequence[str], where: str) -> list[Claim]:
    """The claim in both readings."""
    return [competitive(f1, others, where, reading) for reading, f1 in in_both_readings(found).items()]


def _with_own_settings(values: Mapping[str, Sequence[float]]) -> dict[str, Sequence[float]]:
    """The models that chose their settings, and those that have none to choose."""
    return {method: seeds for method, seeds in values.items() if method.endswith(OWN) or method not in FAMILIES}


def competitive(found: Found, others: Sequence[str], where: str, reading: str) -> Claim:
    """Whether our score comes close to the best other one on every network.

    >>> few = {"blog": {"CommunityModel": [0.5], "BigClam": [0.52]}}
    >>> competitive(few, ["BigClam"], "Figure 5, left", "same settings").measured
    'ours / best other: blog 0.500 / 0.520 (BigClam); less than 90% on none; means 0.500 / 0.520 (BigClam)'
    """
    judged = {n: v for n, v in found.items() if OURS in v and all(m in v for m in others)}
    best = {n: max((mean(v[m]), m) for m in others) for n, v in judged.items()}
    said = ", ".join(f"{n} {mean(judged[n][OURS]):.3f} / {value:.3f} ({m})" for n, (value, m) in best.items())
    shares = {n: mean(judged[n][OURS]) / value for n, (value, _) in best.items() if value}
    short = [f"{n} ({share:.0%})" for n, share in shares.items() if share < NEAR]
    means = {m: mean([mean(v[m]) for v in judged.values()]) for m in (OURS, *others)} if judged else {}
    if judged:
        value, other = max((means[m], m) for m in others)
        said += f"; less than {NEAR:.0%} on {listed(short)}; means {means[OURS]:.3f} / {value:.3f} ({other})"
    return Claim(
        where,
        f"The model is competitive with {listed(list(others))} by F1.",
        f"{reading}: at least {NEAR:.0%} of the best other, on every network",
        f"ours / best other: {said}" if judged else "nothing was run",
        verdict(on_all(not short, list(judged))),
    )


def chosen_table(results: Sequence[Result]) -> Table:
    """The settings that each model chose on each network."""
    names = list(dict.fromkeys(r.dataset for r in results))
    chosen = {(r.method, r.dataset): r.values["chosen"] for r in results if "chosen" in r.values}
    methods = dict.fromkeys(method for method, _ in chosen)
    rows = tuple((method, *(chosen.get((method, name), "–") for name in names)) for method in methods)
    return Table("Own settings, chosen by hidden pairs", ("method", *names), rows)


def _by_rule(results: Sequence[Result]) -> list[Table]:
    """F1 of the factor models by membership rule, a table each."""
    tables = []
    for method in FAMILIES:
        own = [r for r in results if r.method == method]
        rules = {rule: by_dataset(own, _scores(rule, "f1")) for rule in RULES}
        names = list(dict.fromkeys(r.dataset for r in own))
        rows = {name: {rule: found[name][method] for rule, found in rules.items() if name in found} for name in names}
        tables.append(Table(f"F1 of {method} by membership rule", *grid(rows)))
    return tables


def _rule_decides(results: Sequence[Result]) -> Claim:
    """Whether another rule moves our F1 more than another method does."""
    by_method = by_dataset([r for r in results if r.method in FAMILIES], _scores("density", "f1"))
    ours = [r for r in results if r.method == OURS]
    by_rule = [by_dataset(ours, _scores(rule, "f1")) for rule in RULES if rule != "attracting only"]
    judged = {n: v for n, v in by_method.items() if len(v) == len(FAMILIES) and all(n in found for found in by_rule)}
    methods = {n: _spread([mean(seeds) for seeds in v.values()]) for n, v in judged.items()}
    rules = {n: _spread([mean(found[n][OURS]) for found in by_rule]) for n in judged}
    said = ", ".join(f"{n} {rules[n]:.3f} / {methods[n]:.3f}" for n in judged)
    holds = mean(list(rules.values())) > mean(list(methods.values())) if judged else False
    return Claim(
        "Figure 5, left",
        "Not claimed, but decisive: the membership rule moves F1 more than the method does.",
        "largest minus smallest F1, of our model under four rules / of three models under one; mean over networks",
        said or "nothing was run",
        verdict(on_all(holds, list(judged))),
    )


def _spread(values: Sequence[float]) -> float:
    return max(values) - min(values)


def _beats_trivial(found: Found, reading: str) -> Claim:
    judged = {n: v for n, v in found.items() if OURS in v and all(t in v for t in TRIVIAL)}
    better = [n for n, v in judged.items() if mean(v[OURS]) > max(mean(v[t]) for t in TRIVIAL)]
    measured = f"better on {listed(better)} of {len(judged)}" if judged else "nothing was run"
    told = verdict(on_all(len(better) == len(judged), list(judged)))
    claim = "Not claimed, but implied: the communities say more than trivial covers do."
    return Claim("Figure 5, left", claim, f"{reading}: F1 above that of both trivial covers", measured, told)


def _can_grow(results: Sequence[Result]) -> Claim:
    """Whether the paper's penalty leaves room for a community that attracts."""
    room = {r.dataset: float(r.values["eigenvalue"]) for r in results if r.method == ROOM}
    said = ", ".join(f"{name} {value:.2f}" for name, value in room.items())
    judged = all(name in room for name in WHOLE.datasets)
    holds = all(value > SAME.penalty for value in room.values())
    return Claim(
        "Section 5.1",
        "Not claimed, but needed: at a penalty of 10 a homophilous community can grow.",
        "largest eigenvalue of A − P above the penalty, where P is the fit without such communities",
        said or "nothing was run",
        verdict(None if holds and not judged else holds),  # one network without room is enough
    )


def _room_table(results: Sequence[Result]) -> Table:
    rows = tuple((r.dataset, f"{r.values['eigenvalue']:.2f}") for r in results if r.method == ROOM)
    note = (
        "A small column b of B changes the objective by penalty · |b|² − bᵀ(A − P)b. Below the penalty no column can "
        "grow, and every attracting community of a penalized fit is empty there, unless it began far from zero."
    )
    title = "Largest eigenvalue of A − P, with P fitted by repelling communities alone"
    return Table(title, ("network", "eigenvalue"), rows, note)


def _memory(results: Sequence[Result]) -> Claim:
    ran = [r for r in results if r.method == "VGraph" and r.dataset == "blog"]
    measured = f"philia's VGraph takes {ran[0].values['fit_seconds']:.0f} s on Blog" if ran else "not run"
    claim = "vGraph cannot be run on Blog with limited memory (about its authors' program)."
    return Claim("Figure 5, left", claim, "their program is not run here", measured, "cannot be judged")


def _scores(rule: str, key: str) -> Callable[[Result], float | None]:
    def pick(result: Result) -> float | None:
        value = result.values.get(rule, {}).get(key)
        return None if value is None else float(value)

    return pick


def _find(name: str, method: str, seed: int, iterations: int) -> dict[str, Any]:
    shape = _shape(name, seed, iterations)
    if method == AUTHORS:
        shape = shape.split(split_by_norms(dataset(name).graph, shape.width))
    return _compare(name, METHODS[method], shape)


def _find_at_its_best(name: str, method: str, seed: int, iterations: int) -> dict[str, Any]:
    shape = _shape(name, seed, iterations)
    chosen = best_settings(FAMILIES[method], dataset(name).graph, shape, lambda found: found.average_precision)
    return {**_compare(name, FAMILIES[method](chosen.settings), shape), "chosen": str(chosen.settings)}


def _shape(name: str, seed: int, iterations: int) -> Shape:
    data = dataset(name)
    return Shape(*split_by_signs(data.graph, len(data.communities)), seed, iterations)


def _compare(name: str, make: Make, shape: Shape) -> dict[str, Any]:
    model = make(shape).fit(dataset(name).graph)
    found = model.communities("density")  # one rule for all models
    by_rule = {"density": found.as_sets()}
    if type(model).__name__ in FAMILIES:
        by_rule["membership of 0.5"] = model.communities(0.5).as_sets()
        by_rule["split"] = model.communities("split").as_sets()
        by_rule["strongest column"] = _strongest(model)
        by_rule["attracting only"] = {c.name: set(c.members) for c in found if c.kind == "homophilous"}
    return {
        **{rule: _compared(name, sets) for rule, sets in by_rule.items()},
        "sizes": sorted((len(c) for c in found), reverse=True),
        "unassigned": found.n_unassigned,
        "fit_seconds": round(model.solution_.seconds, 2),
        "reason": model.solution_.reason,
    }


def _room_to_grow(name: str, seed: int, iterations: int) -> dict[str, Any]:
    """The largest eigenvalue of A − P, where P has as many communities as the paper's fit, all repelling."""
    graph, shape = dataset(name).graph, _shape(name, seed, iterations)
    model = METHODS[OURS](shape.split((0, shape.repelling))).fit(graph)
    n, adjacency = graph.n_nodes, graph.adjacency.astype(float)

    def times(x: Float64Array) -> Float64Array:
        blocks = (slice(at, min(at + 512, n)) for at in range(0, n, 512))
        return np.asarray(
            adjacency @ x.ravel() - np.concatenate([model.expected_block(b, slice(0, n)) @ x.ravel() for b in blocks])
        )

    begin = np.random.default_rng(0).standard_normal(n)
    (value,), _ = eigsh(LinearOperator((n, n), matvec=times, dtype=float), k=1, which="LA", v0=begin, tol=1e-4)
    return {"eigenvalue": float(value), "split": f"0 + {shape.repelling}"}


def _strongest(model: LinkModel) -> dict[str, set[Any]]:
    """Each node in the one community that it belongs to most, by its membership."""
    normal = normalize(model.factors_.readable())
    pick, strongest = model.graph_.nodes.pick, normal.memberships.argmax(axis=1)
    return {name: set(pick((strongest == c).nonzero()[0])) for c, name in enumerate(normal.names)}


def _trivial(name: str, cover: str) -> dict[str, Any]:
    return {"density": _compared(name, trivial_covers(dataset(name).graph)[cover])}


def _compared(name: str, sets: Any) -> dict[str, float]:
    data = dataset(name)
    scores: CommunityScores = compare_communities(sets, data.communities, data.graph)
    return {"f1": scores.f1, "nmi_lfk": scores.nmi_lfk, "nmi_mgh": scores.nmi_mgh, "omega": scores.omega}
