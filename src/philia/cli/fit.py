"""philia fit: from a file of links to a model file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from philia._text import counted
from philia.cli import options
from philia.cli.checkpoint import Resume, checkpoint_of, planned, settle
from philia.cli.files import MODEL_SUFFIX
from philia.cli.guard import INTERRUPTED
from philia.cli.models import OURS, make_model, model_option
from philia.cli.options import DETECTED, choice, option, parsed, reads_links, share_of
from philia.cli.output import Output
from philia.cli.report import Attributes, Labels, Title, check_report, known_for, write_page
from philia.exceptions import InvalidParameterError, PhiliaError
from philia.storage import ReadingOptions

if TYPE_CHECKING:
    from philia.execution.cluster import DaskCluster
    from philia.fitting import Checkpoint
    from philia.graphs import Graph
    from philia.models import LinkModel
    from philia.storage import MemoryBound


class Background(StrEnum):
    """The baseline, before any community is counted."""

    none = "none"
    constant = "constant"
    popularity = "popularity"


class Precision(StrEnum):
    """The floating-point type of the fit."""

    float64 = "float64"
    float32 = "float32"


def _starts() -> list[str]:
    from philia.initialization import STARTS

    return list(STARTS)


def _solvers() -> list[str]:
    from philia.solvers import SOLVERS

    return list(SOLVERS)


@reads_links("weights", "memory")
def fit(
    path: options.Links,
    model: Annotated[str, model_option("Another model, with B + C columns.")] = OURS,
    homophilous: Annotated[int | None, option("-B --homophilous", "Attracting communities (auto).")] = None,
    heterophilous: Annotated[int | None, option("-C --heterophilous", "Repelling communities (auto).")] = None,
    output: Annotated[Path | None, option("-o --output", "Model file (LINKS.safetensors).")] = None,
    penalty: Annotated[float | None, option("--penalty", "Regularization; smaller fits closer (auto).")] = None,
    background: Annotated[
        Background | None, option("--background", "none, constant or popularity (popularity).")
    ] = None,
    start: Annotated[str | None, choice("--start", "{names}.", _starts)] = None,
    solver: Annotated[str | None, choice("--solver", "{names} (auto: by size).", _solvers)] = None,
    iterations: Annotated[int | None, option("--iterations", "Maximum iterations (by size).")] = None,
    seed: options.Seed = 0,
    dtype: Annotated[Precision | None, option("--dtype", "float64, or float32, faster (float64).")] = None,
    threads: Annotated[int | None, option("--threads", "Number of threads (all cores).")] = None,
    cluster: Annotated[str | None, option("--cluster", "Dask scheduler (tcp://10.0.0.1:8786).")] = None,
    workers: Annotated[int | None, option("--workers", "Number of Dask processes to start.")] = None,
    held_out: Annotated[
        float | None, parsed("--held-out", "Pairs to hold out as a test, such as 10%.", share_of)
    ] = None,
    report: Annotated[Path | None, option("--report", "Also write a report, such as report.html.")] = None,
    labels: Labels = None,
    attributes: Attributes = None,
    title: Title = None,
    reading: ReadingOptions = DETECTED,
    resume: Resume = False,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Find the communities of a network; Ctrl-C saves the best so far.

    Example:
    $ philia fit links.csv --report report.html --attributes people.csv
    $ philia fit links.csv --model BigClam -B 8 -C 0 --held-out 10%
    """
    out = Output(json, quiet, debug)
    target = _target(path, output)
    _check_numbers({"--iterations": iterations, "--threads": threads}, held_out)
    if report is not None and model != OURS:
        raise InvalidParameterError(f"--report shows reasons, which {model} does not have; remove --report or --model")
    fitted = make_model(
        model,
        homophilous,
        heterophilous,
        seed,
        penalty=penalty,
        background=background and background.value,
        start=start,
        dtype=dtype and dtype.value,
        n_jobs=threads,
        **_search(model, solver, iterations),
    )
    fitted.check_settings()
    if report is not None:
        check_report(report, force=force or resume)
    elif labels or attributes or title:
        raise InvalidParameterError("--labels, --attributes and --title are for the report; add --report report.html")
    checkpoint = checkpoint_of(target, resume=resume, force=force)
    with out.listening(), _saying_what_is_saved(target, checkpoint):
        if homophilous is heterophilous is None and model != OURS:
            _remark_on_numbers(out, fitted)
        contents = {} if report is None else known_for(labels, attributes, title, reading.encoding)
        with _executor(fitted, cluster, workers, threads):
            graph = _read(out, path, reading, fitted)
            if reading.weights:
                _check_weights(out, fitted, graph)
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
            summary |= write_page(out, fitted, report, **contents, source=target.name)
    _show(out, path, fitted, summary, checkpoint)
    out.data(summary)
    if fitted.solution_.reason == "interrupted":
        raise typer.Exit(INTERRUPTED)


@contextmanager
def _saying_what_is_saved(target: Path, checkpoint: Checkpoint) -> Iterator[None]:
    """Say whether a model was saved if Ctrl-C comes when the fit cannot keep the best so far."""

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
                hint = f" To continue from {checkpoint.path}, run the same command again."
        raise KeyboardInterrupt(f"No model was saved.{hint}") from None


def _check_numbers(counts: dict[str, int | None], held_out: float | None) -> None:
    for name, count in counts.items():
        if count is not None and count < 1:
            raise InvalidParameterError(f"{name} is {count}; it must be 1 or more")
    if not 0 <= (held_out or 0) < 1:
        raise InvalidParameterError(f"--held-out is {held_out:g}; it must be at least 0 and below 1, or below 100%")


def _remark_on_numbers(out: Output, model: LinkModel) -> None:
    settings = model.get_params(deep=False)
    counts = [f"{name} is {settings[name]}" for name in ("n_communities", "n_columns") if name in settings]
    if counts:
        out.remark(
            f"{type(model).__name__} does not choose numbers of communities: {counts[0]}; set it with -B and -C."
        )


def _target(path: str, output: Path | None) -> Path:
    """The path of the model file; by default in the current folder, named after the input."""
    if output is None:
        if path == "-":
            raise InvalidParameterError(
                "links from standard input have no name to save the model under; add -o model.safetensors"
            )
        from philia.storage import COMPRESSION_SUFFIXES

        name = Path(path)
        stem = (Path(name.stem) if name.suffix.lower() in COMPRESSION_SUFFIXES else name).stem
        output = Path((stem or "model") + MODEL_SUFFIX)
    if output.suffix != MODEL_SUFFIX:
        raise InvalidParameterError(f"the model file {str(output)!r} must end in {MODEL_SUFFIX}")
    return output


def _search(model: str, solver: str | None, iterations: int | None) -> dict[str, Any]:
    """The settings of the search: a solver with its number of iterations, or the iterations alone."""
    if solver is None and iterations is None:
        return {}
    from philia.models import MODELS

    if solver is None and "iterations" in MODELS[model]._get_param_names():
        return {"iterations": iterations}
    from philia.solvers import as_solver, shortened

    name = solver or "auto"
    return {"solver": name if iterations is None else shortened(as_solver(name), iterations)}


@contextmanager
def _executor(model: LinkModel, cluster: str | None, workers: int | None, threads: int | None = None) -> Iterator[None]:
    """Run the model on the executor asked for, which is closed at the end of the block.

    >>> from philia import SVD, CommunityModel
    >>> with _executor(CommunityModel(), None, None):
    ...     pass
    >>> with _executor(SVD(), "tcp://10.0.0.1:8786", None):
    ...     pass
    Traceback (most recent call last):
    philia.exceptions.InvalidParameterError: SVD has no --cluster option, it runs on this machine; remove it
    """
    asked = [name for name, value in (("--cluster", cluster), ("--workers", workers)) if value is not None]
    if not asked:
        yield
        return
    if len(asked) > 1:
        raise InvalidParameterError(
            "--cluster and --workers are both given; --workers starts processes on this machine, so remove one of them"
        )
    if "executor" not in model.get_params(deep=False):
        raise InvalidParameterError(
            f"{type(model).__name__} has no {asked[0]} option, it runs on this machine; remove it"
        )
    with _dask(cluster, workers, threads) as executor:
        model.set_params(executor=executor)
        yield


def _dask(cluster: str | None, workers: int | None, threads: int | None) -> DaskCluster:
    from philia.execution.cluster import DaskCluster

    if workers is None:
        return DaskCluster(cluster)
    if workers < 1:
        raise InvalidParameterError(f"--workers is {workers}; it must be 1 or more")
    return DaskCluster.local(workers, threads=None if threads is None else max(1, threads // workers))


def _read(out: Output, path: str, reading: ReadingOptions, model: LinkModel) -> Graph:
    """The graph to fit, with its links on disk if graph and fit together would exceed the memory limit."""
    from philia.graphs.files import read

    graph = read(path, reading)
    return graph if reading.memory is None else _within(out, graph, model, reading.bound)


def _within(out: Output, graph: Graph, model: LinkModel, memory: MemoryBound) -> Graph:
    """The graph in memory or on disk, as the fit needs it; an error if the fit cannot stay below the limit."""
    import tempfile

    from philia.graphs.disk import on_disk
    from philia.models.factorization import Factorization
    from philia.models.memory_plan import plan_for
    from philia.storage.arrays import InMemory, storage_of

    if not isinstance(model, Factorization):
        out.remark(f"The memory that {type(model).__name__} needs is not known; the limit holds for reading only.")
    elif plan_for(model, graph, memory).mapped and storage_of(graph.adjacency.indices) == InMemory():
        graph = on_disk(graph)
    if storage_of(graph.adjacency.indices) != InMemory():
        out.remark(f"To stay below the memory limit, links are kept on disk, in {tempfile.gettempdir()}.")
    return graph


def _check_weights(out: Output, model: LinkModel, graph: Graph) -> None:
    """Remark if --weights has no effect."""
    from philia.models.factorization import Factorization

    if graph.weights is None:
        out.remark("No link has a weight other than 1.")
    elif not isinstance(model, Factorization):
        out.remark(f"{type(model).__name__} ignores weights; all links count the same.")


def _run(out: Output, model: LinkModel, graph: Graph, held_out: float | None, checkpoint: Checkpoint) -> None:
    from philia.cli.output import progress_line

    out.remark(
        f"Fitting {counted(graph.n_nodes, 'node')} and {counted(graph.n_links, 'link')}; after the first iteration, "
        "Ctrl-C saves the best so far."
    )
    with progress_line(out) as on_iteration:
        model.fit(graph, held_out=held_out, on_iteration=on_iteration, checkpoint=checkpoint)


def _summary(model: LinkModel, held_out: float | None, target: Path) -> dict[str, Any]:
    from philia.cli.summaries import fit_facts, graph_facts, held_out_facts

    complete = model.solution_.reason != "interrupted"  # after Ctrl-C nobody wants to wait for scores
    facts = {"model": str(target), "graph": graph_facts(model.graph_), **fit_facts(model, score=complete)}
    if held_out and complete:
        facts["held_out"] = held_out_facts(model)
    return facts


def _show(out: Output, path: str, model: LinkModel, summary: dict[str, Any], checkpoint: Checkpoint) -> None:
    from philia.cli.summaries import fit_in_words, graph_in_words, held_out_in_words

    out.say(f"{'Standard input' if path == '-' else path}: {graph_in_words(model.graph_)}")
    for sentence in fit_in_words(model, summary):
        out.say(sentence)
    if summary.get("held_out", {}).get("pairs"):
        out.say(held_out_in_words(summary["held_out"]))
    if model.solution_.reason == "interrupted":
        out.say("The fit was interrupted; the best model so far is saved.", style="yellow")
        if checkpoint.about is not None:
            out.say("To continue, run the same command again; with --force it starts anew.")
    if "report" in summary:
        out.say(f"Wrote {summary['report']}; open it in a browser.")
    out.say(f"Saved in {summary['model']}. To see the communities: philia communities {quote(summary['model'])}")
