"""Figure 5, right: prediction of held-out links."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from experiments.communities import AUTHORS, Found, both_readings, chosen_table, in_both_readings
from experiments.data import dataset, split_by_norms, split_by_signs
from experiments.experiment import Claim, Experiment, Result, Scope, Table, Task, on_all, verdict
from experiments.methods import FAMILIES, GRID, OWN, SAME, Make, Shape, bigclam, ours, random_links, svd, symnmf
from experiments.summaries import by_dataset, grid, listed, mean
from experiments.tuning import RATE, best_settings
from philia.evaluate import PREDICTORS, LinkScores, evaluate_links, link_scores
from philia.pairs import RandomPairs, seen
from philia.plots.comparisons import bars

OURS = "CommunityModel"
PAPERS = ("BigClam", "SymNMF")

METHODS: dict[str, Make] = {
    **{name: family(SAME) for name, family in FAMILIES.items()},
    "RandomLinks": random_links,
    "CommunityModel, spectral start": ours(10, "spectral"),
    AUTHORS: ours(10),
    "CommunityModel, penalty 1": ours(1),
    "CommunityModel, penalty 0.1": ours(0.1),
    "BigClam, no penalty": bigclam(include_diagonal=False),
    "SymNMF, no penalty": symnmf(),
    "SVD": svd,
}


class LinkPrediction(Experiment):
    """Held-out links, predicted by models and by formulas."""

    name = "links"
    variations = tuple(method for method in METHODS if "," in method)
    title = "Figure 5, right: prediction of held-out links"
    about = (
        "A tenth of all pairs of nodes, links and non-links alike, is held out; models are fitted to the rest and "
        "predict a link where its probability is at least one half. There are as many communities as labels, split by "
        "the signs of the leading eigenvalues of the rest. There are two readings. *Same settings*: all three models "
        "have the paper's penalty of 10 and its random start, with every seed. *Own settings*, with the first seed: "
        "each has the penalty of 0, 0.1, 1 or 10 and the random or spectral start that predict best, by F1 at one "
        "half, a further tenth of the pairs, hidden from the fit and not among those it is tested on. F1 at one half "
        "depends on how readily a model predicts links, so measures without a threshold are shown beside it, and "
        "formulas that need no fit. SVD and the formulas cannot know which pairs are held out: they take them for "
        "non-links."
    )

    def tasks(self, scope: Scope) -> Iterator[Task]:
        """Every method on every network; each seed holds out other pairs."""
        for name in scope.datasets:
            for predictor in PREDICTORS:
                yield Task(self.name, name, predictor, 0, {"rate": RATE}, partial(_by_formula, name, predictor, 0))
            for method in METHODS:
                seeds = scope.seeds if method in (OURS, *PAPERS, "RandomLinks") else scope.seeds[:1]
                for seed in seeds:
                    run = partial(_predict, name, method, seed, scope.iterations)
                    yield Task(self.name, name, method, seed, {"iterations": scope.iterations, "rate": RATE}, run)
            for method in FAMILIES:
                run = partial(_predict_at_its_best, name, method, scope.seeds[0], scope.iterations)
                settings = {"iterations": scope.iterations, "rate": RATE, "grid": len(GRID)}
                yield Task(self.name, name, method + OWN, scope.seeds[0], settings, run)

    def tables(self, results: Sequence[Result]) -> list[Table]:
        """One table per measure."""
        measures = {
            "f1": "F1 at a probability of one half",
            "f1_matched": "F1 when as many links are predicted as there are",
            "auc": "Area under the ROC curve",
            "average_precision": "Average precision",
            "brier": "Brier score",
        }
        tables = [Table(title, *grid(by_dataset(results, _pick(key)))) for key, title in measures.items()]
        return [*tables, chosen_table(results)]

    def figures(self, results: Sequence[Result]) -> dict[str, tuple[Figure, str]]:
        """F1 as in the paper, and average precision with the formulas."""
        figure = Figure(figsize=(11, 8), layout="constrained", dpi=130)
        upper, lower = figure.subplots(2, 1)
        models = (OURS, *PAPERS, "RandomLinks")
        bars(by_dataset([r for r in results if r.method in models], _pick("f1")), upper)
        upper.set_title("F1 of held-out links, at a probability of one half", loc="left")
        both = [r for r in results if r.method in models or r.method in PREDICTORS]
        bars(by_dataset(both, _pick("average_precision")), lower, faint=tuple(PREDICTORS))
        lower.set_title("Average precision; gray: formulas that need no fit", loc="left")
        drawn = {"links.png": (figure, "Prediction of held-out links, by the paper's measure and without a threshold.")}
        return drawn | _reliability(results)

    def claims(self, results: Sequence[Result]) -> list[Claim]:
        """Whether ours is competitive, and better than random links and formulas."""
        f1, precision = by_dataset(results, _pick("f1")), by_dataset(results, _pick("average_precision"))
        return [
            *both_readings(f1, PAPERS, "Figure 5, right"),
            *(_beats(found, ("RandomLinks",), reading) for reading, found in in_both_readings(f1).items()),
            *(_beats(found, tuple(PREDICTORS), reading) for reading, found in in_both_readings(precision).items()),
        ]


def _beats(found: Found, others: tuple[str, ...], reading: str) -> Claim:
    judged = {n: v for n, v in found.items() if OURS in v and all(o in v for o in others)}
    best = {n: max((mean(v[o]), o) for o in others) for n, v in judged.items()}
    lost = [n for n, (value, _) in best.items() if mean(judged[n][OURS]) <= value]
    said = ", ".join(f"{n} {mean(judged[n][OURS]):.3f} / {value:.3f} ({o})" for n, (value, o) in best.items())
    if others == ("RandomLinks",):
        claim, by = "Not claimed, but implied: the model predicts better than tossing a coin.", "F1 at one half"
        alike = [n for n in lost if all(mean(judged[n][m]) <= best[n][0] for m in PAPERS if m in judged[n])]
        said += f"; where it does not, neither do {listed(PAPERS)}" if lost and alike == lost else ""
    else:
        claim, by = "Not claimed: the model predicts better than formulas that need no fit.", "average precision"
    told = verdict(on_all(not lost, list(judged)))
    return Claim("Figure 5, right", claim, f"{reading}: {by}, on every network", said or "nothing was run", told)


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
    ax.set_title("Are the probabilities calibrated?", loc="left")
    ax.legend(frameon=False)
    return {"reliability.png": (figure, "Predicted and observed rates of held-out links; on the line they agree.")}


def _pick(key: str) -> Callable[[Result], float | None]:
    return lambda result: result.values.get(key)


def _predict(name: str, method: str, seed: int, iterations: int) -> dict[str, Any]:
    held_out = RandomPairs(RATE, seed=seed)
    shape = _shape(name, held_out, iterations)
    if method == AUTHORS:
        shape = shape.split(split_by_norms(seen(dataset(name).graph, held_out), shape.width))
    return _judge(name, METHODS[method], shape, held_out)


def _predict_at_its_best(name: str, method: str, seed: int, iterations: int) -> dict[str, Any]:
    graph, held_out = dataset(name).graph, RandomPairs(RATE, seed=seed)
    shape = _shape(name, held_out, iterations)
    chosen = best_settings(FAMILIES[method], graph, shape, lambda found: found.f1, held_out)
    return {**_judge(name, FAMILIES[method](chosen.settings), shape, held_out), "chosen": str(chosen.settings)}


def _shape(name: str, held_out: RandomPairs, iterations: int) -> Shape:
    data = dataset(name)
    split = split_by_signs(seen(data.graph, held_out), len(data.communities))
    return Shape(*split, held_out.seed, iterations)


def _judge(name: str, make: Make, shape: Shape, held_out: RandomPairs) -> dict[str, Any]:
    model = make(shape).fit(dataset(name).graph, held_out=held_out)
    return {
        **_figures(evaluate_links(model)),
        "split": f"{shape.attracting} + {shape.repelling}",
        "fit_seconds": round(model.solution_.seconds, 2),
        "reason": model.solution_.reason,
    }


def _by_formula(name: str, predictor: str, seed: int) -> dict[str, Any]:
    """The scores of a formula; they are not probabilities, so only measures of their order are kept."""
    graph, held_out = dataset(name).graph, RandomPairs(RATE, seed=seed)
    rows, columns = held_out.pairs(graph.n_nodes)
    scores = PREDICTORS[predictor](seen(graph, held_out), rows, columns)
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
