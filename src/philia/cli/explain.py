"""philia explain: why a link between two nodes is likely or unlikely."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from philia.cli import options
from philia.cli.files import check_figure, save_figure
from philia.cli.nodes import node_called, plain, shown
from philia.cli.options import option
from philia.cli.output import Output
from philia.exceptions import InvalidParameterError

if TYPE_CHECKING:
    from philia.explain import LinkExplanation, ScoreExplanation

_SHOWN = 60
"""Reasons listed: all of a dense model's. Two nodes with thousands of links may share more communities."""


def explain(
    model: options.Model,
    u: Annotated[str, typer.Argument(metavar="U", help="A node.", show_default=False)],
    v: Annotated[str, typer.Argument(metavar="V", help="Another node.", show_default=False)],
    figure: Annotated[Path | None, option("--figure", "Also draw it, such as link.png.")] = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Explain a prediction: the effect of every community on the odds of one link, or on its score.

    Names that begin with a dash come after --, as in: philia explain model.safetensors -- -1 2

    Example:
    $ philia explain model.safetensors ann bob --figure link.png
    """
    out = Output(json, quiet, debug)
    if figure is not None:
        check_figure(figure, force=force)
    with out.listening():
        explanation = _explained(model, u, v)
        if figure is not None:
            _draw(explanation, figure)
            out.remark(f"Drew {figure}.")
    from philia.explain import ScoreExplanation

    if isinstance(explanation, ScoreExplanation):
        _show_score(out, explanation)
    else:
        show_explanation(out, explanation)
    out.data(_explanation_facts(explanation))


def _explained(path: Path, u: str, v: str) -> LinkExplanation | ScoreExplanation:
    from philia.models import load

    model: Any = load(path)
    if not hasattr(model, "explain"):
        raise InvalidParameterError(
            f"{str(path)!r} holds a {type(model).__name__}, whose scores are not sums over communities; "
            "fit another model to explain its predictions"
        )
    nodes = model.graph_.nodes
    found: LinkExplanation | ScoreExplanation = model.explain(node_called(nodes, u), node_called(nodes, v))
    return found


def _draw(explanation: LinkExplanation | ScoreExplanation, figure: Path) -> None:
    from philia import plots
    from philia.explain import ScoreExplanation

    if isinstance(explanation, ScoreExplanation):
        raise InvalidParameterError("--figure draws log-odds, which this model's scores are not; remove it")
    save_figure(plots.waterfall(explanation), figure)


def _show_score(out: Output, explanation: ScoreExplanation) -> None:
    """Print the explanation of a score that is not the logarithm of odds.

    >>> from philia.explain import ScoreExplanation
    >>> _show_score(Output(), ScoreExplanation("ann", "bob", True, (), 0.5))
    ann and bob: predicted probability 0.5 (linked in the data)
    community ...
    """
    u, v = shown(explanation.u), shown(explanation.v)
    state = "linked" if explanation.linked else "not linked"
    out.say(f"{u} and {v}: predicted probability {explanation.probability:.3g} ({state} in the data)")
    rows = [(term.community, term.effect, f"{term.amount:+.3f}") for term in explanation.strongest(_SHOWN)]
    rest = [term.amount for term in explanation.strongest()[_SHOWN:]]
    if rest:
        rows.append((f"{len(rest):,} more", "", f"{math.fsum(rest):+.3f}"))
    out.table(["community", "effect", "score"], [*rows, ("together", "", f"{explanation.score:+.3f}")], right=(2,))


def show_explanation(out: Output, explanation: LinkExplanation) -> None:
    """Print an explanation as a sentence and a table.

    >>> from philia.explain import LinkExplanation
    >>> show_explanation(Output(), LinkExplanation("ann", "bob", True, 0.0, ()))
    ann and bob: predicted probability 0.5 (linked in the data)
    community ...
    """
    from philia.explain.links import factor_in_words, odds_in_words

    u, v = shown(explanation.u), shown(explanation.v)
    state = "linked" if explanation.linked else "not linked"
    out.say(f"{u} and {v}: predicted probability {explanation.probability:.3g} ({state} in the data)")
    rows: list[tuple[str, ...]] = [
        ("baseline", "", odds_in_words(explanation.baseline), f"{explanation.baseline:+.3f}", "", "")
    ]
    finer = [reason.log_odds for reason in explanation.strongest() if reason.finer]
    named = [reason for reason in explanation.strongest() if not reason.finer]
    for reason in named[:_SHOWN]:
        effect = "attracts" if reason.log_odds > 0 else "repels"
        affinities = ["" if math.isnan(affinity) else f"{affinity:.3f}" for affinity in reason.affinities]
        rows.append(
            (reason.community, effect, factor_in_words(reason.log_odds), f"{reason.log_odds:+.3f}", *affinities)
        )
    rest = [reason.log_odds for reason in named[_SHOWN:]]
    for name, several in ((f"{len(rest):,} more", rest), ("finer structure", finer)):
        if several:
            total = math.fsum(several)
            rows.append((name, "", factor_in_words(total), f"{total:+.3f}", "", ""))
    rows.append(("together", "", odds_in_words(explanation.logit), f"{explanation.logit:+.3f}", "", ""))
    columns = ["community", "effect", "odds", "log-odds", f"affinity of {u}", f"affinity of {v}"]
    out.table(columns, rows, right=(2, 3, 4, 5))
    for reason in explanation.strongest():
        if reason.intervals is not None:
            both = f"membership of {u} {reason.intervals[0]}, of {v} {reason.intervals[1]}"
            out.say(f"{reason.community} has stability {reason.stability:.2f}, {reason.found}; {both}.")


def _explanation_facts(explanation: LinkExplanation | ScoreExplanation) -> dict[str, Any]:
    """An explanation for programs; the baseline and the ``log_odds`` of the reasons sum to ``logit``.

    Where scores are not log-odds, the ``amount`` of the terms sum to ``score``.

    >>> from philia.explain import LinkExplanation
    >>> _explanation_facts(LinkExplanation("ann", "bob", True, 0.0, ()))["probability"]
    0.5
    """
    from philia.explain import ScoreExplanation

    about = {
        "u": plain(explanation.u),
        "v": plain(explanation.v),
        "linked": explanation.linked,
        "probability": explanation.probability,
    }
    if isinstance(explanation, ScoreExplanation):
        return about | {"score": explanation.score, "terms": explanation.table()}
    return about | {
        "logit": explanation.logit,
        "baseline": explanation.baseline,
        "reasons": [reason.row() for reason in explanation.strongest()],
    }
