"""philia exact: a network in whole numbers, without a single error, and the certificate that it is so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from philia.cli import options
from philia.cli.files import check_target
from philia.cli.options import option
from philia.cli.output import Output
from philia.cli.progress import counting_line, progress_line
from philia.cli.reading import DETECTED, reads_links
from philia.exceptions import InvalidParameterError, NotExactError
from philia.storage import ReadingOptions

if TYPE_CHECKING:
    from philia.exact import Certificate, Certified, Elimination, OnProgress
    from philia.graphs import Graph


class Construction(StrEnum):
    """What the numbers are made by."""

    fewest = "fewest"
    logistic = "logistic"
    sign_changes = "sign-changes"
    degeneracy = "degeneracy"
    levels = "levels"
    max_degree = "max-degree"
    arboricity = "arboricity"
    circle = "circle"
    fit = "fit"


@reads_links()
def exact(
    links: options.Links,
    output: Annotated[Path | None, option("-o --output", "Write numbers and certificate, a .json file.")] = None,
    by: Annotated[
        Construction,
        option(
            "--by",
            "fewest, fit (until exact: fewer still, but no promise), logistic (X Yᵀ), circle (X Yᵀ in floats), "
            "sign-changes, degeneracy, levels, max-degree or arboricity (fewest).",
        ),
    ] = Construction.fewest,
    searches: Annotated[int, option("--searches", "How often to look for a better line of nodes (2).")] = 2,
    seed: options.Seed = 0,
    reading: ReadingOptions = DETECTED,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Represent a network exactly, by few nonnegative whole numbers a node, and certify every pair.

    Example:
    $ philia exact links.csv -o exact.json
    """
    from philia.cli.summaries import graph_facts, graph_in_words
    from philia.graphs.files import read

    out = Output(json, quiet, debug)
    if searches < 1:
        raise InvalidParameterError(f"--searches must be 1 or more, not {searches}")
    if output is not None:
        check_target(output, force=force)
    with out.listening():
        graph = read(links, reading)
        found = _fitted(out, graph, seed) if by is Construction.fit else _constructed(out, graph, by, searches, seed)
        if output is not None:
            found.save(output)
    written = None if output is None else str(output)
    out.data({"file": links, **graph_facts(graph), "certificate": asdict(found.certificate), "written": written})
    out.say(f"{'Standard input' if links == '-' else links}: {graph_in_words(graph)}")
    for sentence in in_words(found.certificate):
        out.say(sentence)
    if output is not None:
        out.say(f"Wrote {output}. Check it at any time with: philia verify {links} {output}")


def _fitted(out: Output, graph: Graph, seed: int) -> Certified:
    """The smallest fit that is found to be exact."""
    from philia.exact import smallest_exact

    with progress_line(out) as on_iteration:
        found = smallest_exact(graph, random_state=seed, on_iteration=on_iteration)
    if found is None:
        raise NotExactError("no fit was exact with up to as many columns as nodes; use --by fewest, which never fails")
    return found.certified


def _constructed(out: Output, graph: Graph, by: Construction, searches: int, seed: int) -> Certified:
    line = _line(out, graph, searches, seed) if by in _ALONG_A_LINE else None
    with counting_line(out, "checking rows") as on_progress:
        found = _makers(graph, line, on_progress)[by]()
    if found is None:
        raise NotExactError("no floats on a circle could be proved right for this graph; use --by levels or fewest")
    return found


_ALONG_A_LINE = {Construction.fewest, Construction.logistic, Construction.sign_changes}


def _line(out: Output, graph: Graph, searches: int, seed: int) -> Elimination:
    """A line of nodes; the search for it is the long part."""
    from philia.exact import found_order

    with counting_line(out, "looking for a line of nodes") as on_progress:
        tell = None if on_progress is None else lambda now: on_progress(now.done, now.rounds)
        return found_order(graph, searches=searches, random_state=seed, on_progress=tell)


def _makers(
    graph: Graph, line: Elimination | None, on_progress: OnProgress | None
) -> dict[Construction, Callable[[], Certified | None]]:
    from philia import exact

    def checked(make: Callable[..., Any], **settings: Any) -> Callable[[], Certified | None]:
        return lambda: exact.certified(graph, make(graph, **settings), on_progress=on_progress)

    return {
        Construction.fewest: lambda: exact.exact_community(graph, elimination=line, on_progress=on_progress),
        Construction.logistic: lambda: exact.exact_logistic(
            graph, floats=False, elimination=line, on_progress=on_progress
        ),
        Construction.sign_changes: checked(exact.by_sign_changes, elimination=line),
        Construction.degeneracy: checked(exact.by_degeneracy),
        Construction.levels: checked(exact.by_levels),
        Construction.max_degree: checked(exact.by_max_degree),
        Construction.arboricity: checked(exact.by_arboricity),
        Construction.circle: lambda: exact.by_circle(graph),
    }


def in_words(certificate: Certificate) -> Iterator[str]:
    """What a certificate says, in sentences."""
    from philia.cli.summaries import counted

    columns, bits = counted(certificate.columns, "column"), counted(certificate.bits, "bit")
    yield f"Exact in {columns} ({certificate.construction}); numbers of up to {bits}."
    yield from proof_in_words(certificate)


def proof_in_words(certificate: Certificate) -> Iterator[str]:
    """What was known beforehand, what was proved, and how."""
    if certificate.bound is not None:
        yield f"Known beforehand: {certificate.theorem}. That is {certificate.bound:,} here."
    yield f"Certified in {certificate.seconds:.1f} s: {certificate.claim}."
    margin = "" if certificate.margin is None else f" Least margin in bits: {certificate.margin:.3g}."
    yield f"How it was checked: {certificate.checked}.{margin}"
