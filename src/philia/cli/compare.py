"""philia compare: several models on the same held-out pairs, next to baselines that need no model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from philia._text import counted
from philia.cli import options
from philia.cli.models import make_model, model_option
from philia.cli.options import DETECTED, option, reads_links
from philia.cli.output import Output
from philia.exceptions import InvalidParameterError
from philia.storage import ReadingOptions

if TYPE_CHECKING:
    from philia.evaluate import Compared

_DEFAULT = ("CommunityModel", "LogisticPCA", "BigClam", "SymNMF", "SVD", "NormalizedCuts")
"""The models compared by default: the fast ones."""

_SAMPLE = 1_000_000
"""The most held-out pairs that a model is judged on; they take seconds."""


@reads_links()
def compare(
    path: options.Links,
    model: Annotated[list[str] | None, model_option("A model to compare; may be repeated.")] = None,
    homophilous: Annotated[int | None, option("-B --homophilous", "Attracting communities (auto).")] = None,
    heterophilous: Annotated[int | None, option("-C --heterophilous", "Repelling communities (auto).")] = None,
    truth: Annotated[Path | None, option("--truth", "Known communities to compare with.")] = None,
    held_out: Annotated[float, option("--held-out", "Share of pairs to hold out as a test (0.1).")] = 0.1,
    seed: options.Seed = 0,
    reading: ReadingOptions = DETECTED,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Fit several models with the same pairs held out, and see which predicts these best.

    CommunityModel chooses what is not given; others get 8 + 4 communities. Formulas that need no fit are listed too.

    Example:
    $ philia compare links.csv --model CommunityModel --model BigClam -B 3 -C 1
    """
    out = Output(json, quiet, debug)
    if not 0 < held_out < 1:
        raise InvalidParameterError(f"--held-out is {held_out}; it must be between 0 and 1, such as 0.1")
    with out.listening():
        from philia.evaluate import compare_models
        from philia.graphs import read_communities
        from philia.graphs.files import read

        graph = read(path, reading)
        models = {name: make_model(name, homophilous, heterophilous, seed) for name in dict.fromkeys(model or _DEFAULT)}
        known = None if truth is None else read_communities(truth)
        rows = compare_models(
            graph,
            models,
            held_out=held_out,
            truth=known,
            sample=_SAMPLE,
            random_state=seed,
            on_model=lambda name: out.remark(f"Fitting {name} …"),
        )
    _show(out, rows, known=known is not None)
    out.data({"compared": [_facts(row) for row in rows]})


def _show(out: Output, rows: list[Compared], *, known: bool) -> None:
    columns = [
        "",
        "AUC",
        "average precision",
        "F1",
        "Brier",
        *(["F1 of communities", "NMI"] if known else []),
        "seconds",
    ]
    out.table(columns, [_cells(row, known=known) for row in rows], right=range(1, len(columns)))
    judged = next((row.links for row in rows if row.links is not None), None)
    if judged is not None:
        pairs, links = counted(judged.pairs, "held-out pair"), counted(judged.links, "link")
        out.say(f"Judged on {pairs}, including {links}.")
    out.say("AUC and average precision depend only on the order of the pairs; F1 predicts a link from ½ on.")


def _cells(row: Compared, *, known: bool) -> list[str]:
    cells = [row.name, *(_shown(row.links, name) for name in ("auc", "average_precision", "f1"))]
    cells.append(_shown(row.links, "brier", 5))
    if known:
        cells += [_shown(row.communities, "f1"), _shown(row.communities, "nmi_lfk")]
    return [*cells, f"{row.seconds:.1f}" if row.fitted else ""]


def _shown(scores: object, name: str, digits: int = 3) -> str:
    value = getattr(scores, name, None)
    return "" if value is None else f"{value:.{digits}f}"


def _facts(row: Compared) -> dict[str, Any]:
    links, found = row.links, row.communities
    names = ("pairs", "links", "auc", "average_precision", "f1", "f1_best", "f1_matched", "brier", "log_loss")
    return {
        "name": row.name,
        "fitted": row.fitted,
        "seconds": row.seconds,
        "links": None if links is None else {name: getattr(links, name) for name in names},
        "communities": None if found is None else vars(found),
    }
