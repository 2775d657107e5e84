"""philia exact: a network in integers without a single error, and the certificate that proves it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from philia.cli import options
from philia.cli.files import check_target
from philia.cli.options import DETECTED, choice, option, reads_links
from philia.cli.output import Output, counting_line, progress_line
from philia.exceptions import InvalidParameterError, NotExactError
from philia.storage import ReadingOptions

if TYPE_CHECKING:
    from philia.exact import Certificate, Certified, Elimination
    from philia.graphs import Graph


def _methods() -> dict[str, str]:
    from philia.exact.methods import METHODS

    return {name: method.meaning for name, method in METHODS.items()}


@reads_links()
def exact(
    links: options.Links,
    output: Annotated[Path | None, option("-o --output", "Write numbers and certificate to a .json file.")] = None,
    by: Annotated[str, choice("--by", "The method: {names}. The first is the default.", _methods)] = "fewest",
    searches: Annotated[int, option("--searches", "Searches for a better line of nodes (2).")] = 2,
    seed: options.Seed = 0,
    reading: ReadingOptions = DETECTED,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Represent a network exactly, by a few nonnegative integers per node, and certify every pair.

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
        found = _made(out, graph, by, searches, seed)
        if output is not None:
            found.save(output)
    least = _least(graph, found)
    facts = {"certificate": asdict(found.certificate), "least_columns": least, "tried": found.tried}
    out.data({"file": links, **graph_facts(graph), **facts, "written": None if output is None else str(output)})
    out.say(f"{'Standard input' if links == '-' else links}: {graph_in_words(graph)}")
    for sentence in _in_words(found, least):
        out.say(sentence)
    if output is not None:
        out.say(f"Wrote {output}. Check it at any time with: philia verify {links} {output}")


def _made(out: Output, graph: Graph, by: str, searches: int, seed: int) -> Certified:
    from philia.exact.methods import METHODS

    method, found = METHODS[by], None
    if method.make is not None:
        line = _line(out, graph, searches, seed) if method.along_line else None
        with counting_line(out, "checking rows") as on_progress:
            found = method.make(graph, line, on_progress)
    if method.fit is not None:
        with progress_line(out) as on_iteration:
            found = method.fit(graph, found, seed, on_iteration)
    if found is None:
        raise NotExactError(f"no numbers by {by} could be proved right for this graph; use --by levels or fewest")
    return found


def _line(out: Output, graph: Graph, searches: int, seed: int) -> Elimination:
    """A line of nodes; the search for it takes most of the time."""
    from philia.exact import found_order

    with counting_line(out, "looking for a line of nodes") as on_progress:
        tell = None if on_progress is None else lambda now: on_progress(now.done, now.rounds)
        return found_order(graph, searches=searches, random_state=seed, on_progress=tell)


def _least(graph: Graph, found: Certified) -> int | None:
    """How many columns every representation in communities has at least; None for other representations."""
    from philia.exact import least_columns

    return None if found.representation.community_columns is None else least_columns(graph).columns


def _in_words(found: Certified, least: int | None) -> Iterator[str]:
    """The certificate in sentences, with what was tried and a lower bound."""
    certificate = found.certificate
    yield f"{size_in_words(found)} Construction: {certificate.construction}."
    if least is not None:
        yield f"{_fewest_in_words(least, certificate.columns)} No exact representation has fewer than {least}."
    if len(found.tried) > 1:
        yield f"Tried: {'; '.join(found.tried)}."
    yield from proof_in_words(certificate)


def _fewest_in_words(least: int, found: int) -> str:
    """What is known about the fewest columns.

    >>> _fewest_in_words(4, 5), _fewest_in_words(4, 8)
    ('The network needs 4 or 5.', 'The network needs 4 to 8.')
    """
    if least == found:
        return f"The network needs {found}."
    return f"The network needs {least} {'or' if found == least + 1 else 'to'} {found}."


def size_in_words(found: Certified) -> str:
    """How many columns of which kind there are, and how long their numbers: columns of X and Y are no communities."""
    from philia._text import counted

    certificate = found.certificate
    columns, bits = counted(certificate.columns, "column"), counted(certificate.bits, "bit")
    signed = found.representation.community_columns is None
    kind = "on each side of X Yᵀ, of either sign" if signed else "without negative numbers"
    return f"Exact in {columns} {kind}; numbers of up to {bits}."


def proof_in_words(certificate: Certificate) -> Iterator[str]:
    """The bound known beforehand, what was proved, and how."""
    if certificate.bound is not None:
        yield f"Known beforehand: {certificate.theorem}. That is {certificate.bound:,} here."
    yield f"Certified in {certificate.seconds:.1f} s: {certificate.claim}."
    margin = "" if certificate.margin is None else f" Least margin in bits: {certificate.margin:.3g}."
    yield f"How it was checked: {certificate.checked}.{margin}"
