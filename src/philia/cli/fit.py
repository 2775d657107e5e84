"""philia fit: from a file of links to a model file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from philia.cli import options, places
from philia.cli.bounded import read_within
from philia.cli.files import MODEL_SUFFIX
from philia.cli.guard import INTERRUPTED
from philia.cli.making import ModelName, make_model
from philia.cli.options import option
from philia.cli.output import Output
from philia.cli.reading import DETECTED, reads_links
from philia.cli.report import check_report, make_report
from philia.cli.resuming import Resume, checkpoint_of, settle
from philia.exceptions import InvalidParameterError, PhiliaError
from philia.storage import ReadingOptions

if TYPE_CHECKING:
    from philia.graphs import Graph
    from philia.models import LinkModel
    from philia.models.checkpoints import Checkpoint


_OURS = ModelName.CommunityModel


class Background(StrEnum):
    """What every pair gets before any community speaks."""

    none = "none"
    constant = "constant"
    popularity = "popularity"


class Start(StrEnum):
    """Where the solver begins."""

    spectral = "spectral"
    uniform = "uniform"
    background = "background"
    signed = "signed"
    logistic = "logistic"


class Solver(StrEnum):
    """How the loss is minimised."""

    auto = "auto"
    lbfgsb = "lbfgsb"
    floor = "floor"
    adam = "adam"


class Precision(StrEnum):
    """How many digits."""

    float64 = "float64"
    float32 = "float32"


@reads_links("weights", "memory")
def fit(
    path: options.Links,
    model: Annotated[ModelName, option("--model", "Another model, with B + C columns.")] = _OURS,
    homophilous: Annotated[int | None, option("-B --homophilous", "Communities that attract (chosen).")] = None,
    heterophilous: Annotated[int | None, option("-C --heterophilous", "Communities that repel (chosen).")] = None,
    output: Annotated[Path | None, option("-o --output", "The model file (LINKS.safetensors, here).")] = None,
    penalty: Annotated[float | None, option("--penalty", "Of |B|² + |C|²; less follows closer (chosen).")] = None,
    background: Annotated[
        Background | None, option("--background", "none, constant or popularity (popularity).")
    ] = None,
    start: Annotated[Start | None, option("--start", "spectral, uniform, signed … (spectral).")] = None,
    solver: Annotated[Solver | None, option("--solver", "lbfgsb, floor, adam: for large ones (by size).")] = None,
    iterations: Annotated[int | None, option("--iterations", "At most so many steps (200, or by size).")] = None,
    seed: options.Seed = 0,
    dtype: Annotated[Precision | None, option("--dtype", "float64, or float32: faster (float64).")] = None,
    threads: Annotated[int | None, option("--threads", "How many at a time (all cores).")] = None,
    cluster: places.Cluster = None,
    workers: places.Workers = None,
    held_out: Annotated[float | None, option("--held-out", "Share of pairs to hide and to test on.")] = None,
    report: Annotated[Path | None, option("--report", "Also make a page about the model, report.html.")] = None,
    reading: ReadingOptions = DETECTED,
    resume: Resume = False,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Fit attracting and repelling communities to a network; Ctrl-C saves the best so far.

    Example:
    $ philia fit links.csv -o model.safetensors
    $ philia fit links.csv --model BigClam -B 10 -C 0
    """
    out = Output(json, quiet, debug)
    target = _target(path, output)
    _check_counts({"--iterations": iterations, "--threads": threads})
    if report is not None:
        _check_report(report, model, force=force or resume)
    checkpoint = checkpoint_of(target, resume=resume, force=force)
    from philia.models.resuming import planned

    with out.listening(), _honest_about_saving(target, checkpoint):
        fitted = make_model(
            model,
            homophilous,
            heterophilous,
            seed,
            penalty=penalty,
            background=background and background.value,
            start=start and start.value,
            dtype=dtype and dtype.value,
            n_jobs=threads,
            **_search(model, solver, iterations),
        )
        with places.running(fitted, cluster, workers, threads):
            graph = read_within(out, path, reading, fitted)
            if reading.weights:
                _mind_weights(out, fitted, graph)
            plan = planned(fitted, graph, held_out)
            complete = settle(out, checkpoint, target, plan, resume=resume, force=force)
            if complete is None:
                _run(out, fitted, graph, held_out, checkpoint)
        if complete is None:
            fitted.save(target)
        else:
            fitted = complete
        if fitted.solution_.reason != "interrupted":
            checkpoint.clear()  # not before, so that nothing is lost in between
        summary = _summary(fitted, held_out, target)
        if report is not None and fitted.solution_.reason != "interrupted":
            summary |= make_report(out, fitted, report, title=target.stem, source=target.name)
    _show(out, path, fitted, summary, checkpoint)
    out.data(summary)
    if fitted.solution_.reason == "interrupted":
        raise typer.Exit(INTERRUPTED)


@contextmanager
def _honest_about_saving(target: Path, checkpoint: Checkpoint) -> Iterator[None]:
    """Say after Ctrl-C whether there is a model now, where the fit itself could not keep the best so far."""

    def written() -> tuple[int, int] | None:
        return (target.stat().st_ino, target.stat().st_mtime_ns) if target.is_file() else None

    before = written()
    try:
        yield
    except KeyboardInterrupt:
        if written() not in (None, before):
            raise KeyboardInterrupt(f"The model is saved in {target}.") from None
        hint = ""
        with suppress(PhiliaError):
            if checkpoint.about is not None:
                hint = f" The same command with --resume goes on from {checkpoint.path}."
        raise KeyboardInterrupt(f"No model was saved.{hint}") from None


def _check_counts(counts: dict[str, int | None]) -> None:
    for name, count in counts.items():
        if count is not None and count < 1:
            raise InvalidParameterError(f"{name} is {count}; it must be 1 or more")


def _check_report(report: Path, model: ModelName, *, force: bool) -> None:
    if model is not _OURS:
        raise InvalidParameterError(
            f"--report shows reasons, which {model.value} does not have; leave it out, or leave out --model"
        )
    check_report(report, force=force)


def _target(path: str, output: Path | None) -> Path:
    """Where the model goes: where it was told to, or to the current folder under the name of the input."""
    if output is None:
        if path == "-":
            raise InvalidParameterError(
                "links from standard input have no name to save under; say -o model.safetensors"
            )
        from philia.storage import COMPRESSION_SUFFIXES

        name = Path(path)
        stem = (Path(name.stem) if name.suffix.lower() in COMPRESSION_SUFFIXES else name).stem
        output = Path((stem or "model") + MODEL_SUFFIX)
    if output.suffix != MODEL_SUFFIX:
        raise InvalidParameterError(f"the model file {str(output)!r} must end in {MODEL_SUFFIX}")
    return output


def _search(model: ModelName, solver: Solver | None, iterations: int | None) -> dict[str, Any]:
    """How to search, where the model searches: a solver with its number of steps, or the steps alone."""
    if solver is None and iterations is None:
        return {}
    if model is ModelName.VGraph and solver is None:
        return {"iterations": iterations}
    from philia.solvers import as_solver, shortened

    name = (solver or Solver.auto).value
    return {"solver": name if iterations is None else shortened(as_solver(name), iterations)}


def _mind_weights(out: Output, model: LinkModel, graph: Graph) -> None:
    """Say so where weights were asked for in vain."""
    from philia.models.factorization import Factorization

    if graph.weights is None:
        out.remark("No link has a weight other than 1.")
    elif not isinstance(model, Factorization):
        out.remark(f"{type(model).__name__} does not know weights; it takes all links alike.")


def _run(out: Output, model: LinkModel, graph: Graph, held_out: float | None, checkpoint: Checkpoint) -> None:
    from philia.cli.progress import progress_line
    from philia.cli.summaries import counted

    out.remark(
        f"Fitting {counted(graph.n_nodes, 'node')} and {counted(graph.n_links, 'link')}; from the first iteration on "
        "Ctrl-C saves the best so far."
    )
    with progress_line(out) as on_iteration:
        model.fit(graph, held_out=held_out, on_iteration=on_iteration, checkpoint=checkpoint)


def _summary(model: LinkModel, held_out: float | None, target: Path) -> dict[str, Any]:
    from philia.cli.summaries import fit_facts, graph_facts, held_out_facts

    complete = model.solution_.reason != "interrupted"  # who pressed Ctrl-C does not want to wait for scores
    facts = {"model": str(target), "graph": graph_facts(model.graph_), **fit_facts(model, score=complete)}
    if held_out and complete:
        facts["held_out"] = held_out_facts(model)
    return facts


def _show(out: Output, path: str, model: LinkModel, summary: dict[str, Any], checkpoint: Checkpoint) -> None:
    from philia.cli.summaries import fit_in_words, graph_in_words

    out.say(f"{'Standard input' if path == '-' else path}: {graph_in_words(model.graph_)}")
    for sentence in fit_in_words(model, summary):
        out.say(sentence)
    if summary.get("held_out", {}).get("pairs"):
        scores = summary["held_out"]
        out.say(
            f"On {scores['pairs']:,} of the hidden pairs the mean log-likelihood is {scores['mean_log_likelihood']:.4f}"
            + (f" and the area under the ROC curve {scores['auc']:.3f}." if scores["auc"] is not None else ".")
        )
    if model.solution_.reason == "interrupted":
        out.say("The fit was interrupted; the best that it had found by then is saved.", style="yellow")
        if checkpoint.about is not None:
            out.say(f"To go on with it, give the same command with --resume; to forget it, remove {checkpoint.path}.")
    if "report" in summary:
        out.say(f"Wrote {summary['report']}; open it in a browser.")
    out.say(f"Saved in {summary['model']}. To see the communities: philia communities {summary['model']}")
