"""Figure 5, right: predicting links between pairs of nodes that were hidden."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from philia.evaluate import PREDICTORS, LinkScores, evaluate_links, link_scores
from philia.experiments.communities import VARIATIONS, competitive
from philia.experiments.data import dataset, split_by_signs
from philia.experiments.methods import Make, Shape, bigclam, ours, random_links, svd, symnmf
from philia.experiments.summaries import by_dataset, grid, mean
from philia.experiments.task import LARGE, Claim, Experiment, Result, Scope, Table, Task, on_all, verdict
from philia.pairs import RandomPairs, seen
from philia.plots.comparisons import bars

OURS = "CommunityModel"
PAPERS = ("BigClam", "SymNMF")
RATE = 0.1

METHODS: dict[str, Make] = {
    OURS: ours(10),
    "BigClam": bigclam(include_diagonal=False),
    "SymNMF": symnmf,
    "RandomLinks": random_links,
    "CommunityModel, spectral start": ours(10, "spectral"),
    "CommunityModel, penalty 1": ours(1),
    "CommunityModel, penalty 0.1": ours(0.1),
    "SVD": svd,
}


class LinkPrediction(Experiment):
    """Hidden links predicted by models and by formulas."""

    name = "links"
    title = "Figure 5, right: prediction of hidden links"
    about = (
        "A tenth of all pairs of nodes, links and non-links alike, is hidden; models are fitted to the rest and "
        "predict a link where its probability is at least one half. As in the paper the penalty is 10 and the k "
        "communities are as many as labels; the split goes by the signs of the leading eigenvalues of what is not "
        "hidden. F1 at one half depends on how bold a model is, so threshold-free measures stand beside it, and "
        "formulas that need no fit. SVD, and the formulas, cannot know which pairs are hidden: they take them for "
        "non-links."
    )

    def tasks(self, scope: Scope) -> Iterator[Task]:
        """Every method on every network; each seed hides other pairs."""
        for name in scope.datasets:
            for predictor in PREDICTORS:
                yield Task(self.name, name, predictor, 0, {"rate": RATE}, partial(_by_formula, name, predictor, 0))
            for method in METHODS:
                if name in LARGE and method in VARIATIONS:
                    continue
                seeds = scope.seeds if method in (OURS, *PAPERS, "RandomLinks") else scope.seeds[:1]
                for seed in seeds:
                    run = partial(_predict, name, method, seed, scope.iterations)
                    yield Task(self.name, name, method, seed, {"iterations": scope.iterations, "rate": RATE}, run)

    def tables(self, results: Sequence[Result]) -> list[Table]:
        """Every measure."""
        measures = {
            "f1": "F1 at a probability of one half",
            "f1_matched": "F1 when as many links are predicted as there are",
            "auc": "Area under the ROC curve",
            "average_precision": "Average precision",
            "brier": "Brier score",
        }
        return [Table(title, *grid(by_dataset(results, _pick(key)))) for key, title in measures.items()]

    def figures(self, results: Sequence[Result]) -> dict[str, tuple[Figure, str]]:
        """F1 as in the paper, and average precision with the formulas."""
        figure = Figure(figsize=(11, 8), layout="constrained", dpi=130)
        upper, lower = figure.subplots(2, 1)
        models = (OURS, *PAPERS, "RandomLinks")
        bars(by_dataset([r for r in results if r.method in models], _pick("f1")), upper)
        upper.set_title("F1 of hidden links, at a probability of one half", loc="left")
        both = [r for r in results if r.method in models or r.method in PREDICTORS]
        bars(by_dataset(both, _pick("average_precision")), lower, faint=tuple(PREDICTORS))
        lower.set_title("Average precision; grey: formulas that need no fit", loc="left")
        drawn = {"links.png": (figure, "Prediction of hidden links: the paper's measure, and one without a threshold.")}
        return drawn | _reliability(results)

    def claims(self, results: Sequence[Result]) -> list[Claim]:
        """Whether ours is competitive, and better than coins and formulas."""
        f1, precision = by_dataset(results, _pick("f1")), by_dataset(results, _pick("average_precision"))
        where = "Figure 5, right"
        return [competitive(f1, PAPERS, where), _beats(f1, ("RandomLinks",)), _beats(precision, tuple(PREDICTORS))]


def _beats(found: dict[str, dict[str, list[float]]], others: tuple[str, ...]) -> Claim:
    judged = {n: v for n, v in found.items() if OURS in v and all(o in v for o in others)}
    best = {n: max((mean(v[o]), o) for o in others) for n, v in judged.items()}
    lost = [n for n, (value, _) in best.items() if mean(judged[n][OURS]) <= value]
    said = ", ".join(f"{n} {mean(judged[n][OURS]):.3f} / {value:.3f} ({o})" for n, (value, o) in best.items())
    if others == ("RandomLinks",):
        claim, reading = "The model predicts better than tossing a coin.", "F1 at one half, on every network"
    else:
        claim = "Not claimed: the model predicts better than formulas that need no fit."
        reading = "average precision, on every network"
    told = verdict(on_all(not lost, list(judged)))
    return Claim("Figure 5, right", claim, reading, said or "nothing was run", told)


def _reliability(results: Sequence[Result]) -> dict[str, tuple[Figure, str]]:
    ours = [r for r in results if r.method == OURS and r.seed == 0]
    if not ours:
        return {}
    figure = Figure(figsize=(5, 4.6), layout="constrained", dpi=130)
    ax = figure.subplots()
    for result in ours:
        ax.plot(result.values["predicted"], result.values["observed"], marker="o", markersize=4, label=result.dataset)
    low = min(min(r.values["predicted"]) for r in ours)
    ax.plot([low, 1], [low, 1], color="black", linewidth=0.8)
    ax.set(xscale="log", yscale="log", xlabel="predicted probability", ylabel="share that is linked")
    ax.set_title("Do probabilities mean what they say?", loc="left")
    ax.legend(frameon=False)
    return {"reliability.png": (figure, "Predicted and observed rates of hidden links; on the line they agree.")}


def _pick(key: str) -> Callable[[Result], float | None]:
    return lambda result: result.values.get(key)


def _predict(name: str, method: str, seed: int, iterations: int) -> dict[str, Any]:
    data = dataset(name)
    k = len(data.communities)
    hidden = RandomPairs(RATE, seed=seed)
    split = split_by_signs(seen(data.graph, hidden), k)
    model = METHODS[method](Shape(*split, seed, iterations)).fit(data.graph, held_out=hidden)
    return {
        **_figures(evaluate_links(model)),
        "split": f"{split[0]} + {split[1]}",
        "fit_seconds": round(model.solution_.seconds, 2),
        "reason": model.solution_.reason,
    }


def _by_formula(name: str, predictor: str, seed: int) -> dict[str, Any]:
    """The formula's scores; they are no probabilities, so only measures of their order are kept."""
    graph, hidden = dataset(name).graph, RandomPairs(RATE, seed=seed)
    rows, columns = hidden.pairs(graph.n_nodes)
    scores = PREDICTORS[predictor](seen(graph, hidden), rows, columns)
    found = _figures(link_scores(graph.linked(rows, columns), np.asarray(scores, dtype=float)))
    return {name: found[name] for name in ("f1_matched", "auc", "average_precision", "hits", "pairs", "links")}


def _figures(found: LinkScores) -> dict[str, Any]:
    names = ("pairs", "links", "f1", "f1_best", "f1_matched", "auc", "average_precision", "brier", "log_loss")
    curve = found.calibration
    return {
        **{name: getattr(found, name) for name in names},
        "hits": {str(count): share for count, share in found.hits.items()},
        "predicted": [] if curve is None else curve.predicted.round(6).tolist(),
        "observed": [] if curve is None else curve.observed.round(6).tolist(),
    }
