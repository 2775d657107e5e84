"""The results as a page: ``benchmarks/README.md``, written from ``benchmarks/results/*.json`` and never by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measuring import RESULTS

PAGE = Path(__file__).parent / "README.md"
HEAD = """# Benchmarks

Written by `python -m benchmarks.page` from the files in `benchmarks/results`; `make bench` measures all of them again.
Ratios compare times measured alternately in one run, as medians of several; absolute times depend on the machine and
its load.
"""


def run() -> None:
    """Write the page."""
    parts = [HEAD, *(section(name) for name in WORDS)]
    PAGE.write_text("\n".join(filter(None, parts)), encoding="utf-8")


def section(name: str) -> str:
    """One benchmark as a section; nothing if it was not measured."""
    path = RESULTS / f"{name}.json"
    if not path.is_file():
        return ""
    measured = json.loads(path.read_text())
    machine = f"{measured['machine']}, {measured['cores']} cores, Python {measured['python']}"
    title = name.replace("_", " " if name == "first_answer" else ", ")
    return f"## {title}\n\n{WORDS[name]}\n\n{TABLES[name](measured['result'])}\n({machine})\n"


WORDS = {
    "first_answer": """A default fit, with the full automatic choice, beside methods that find communities: how many
times as long philia takes, then seconds of processor time, summed over threads, as medians of three seeds up to 2,000
nodes and of one above; less than a millisecond counts as one. `philia fit` is the whole command, from a file of links
to a saved model and a summary. Measured by `python -m benchmarks.first_answer`, beside other programs if the load
named below, at the end of the last run, is above 1: methods may then take up to twice the processor time that they take
alone, so only ratios within a row compare.""",
    "startup": """Seconds of processor time from start to end of a process, with warm caches: medians of ten, on a
machine shared with other programs.""",
    "reading": """Reading an edge list with `read_graph`, beside polars and pyarrow, which here only split lines of
known types and number the names, and beside a plain Python reader that splits and looks up; in turns, on a machine
shared with other programs. The second table shows which messy files the two libraries read as `read_graph` does, if
philia's rules then tell integers from text. philia keeps its own reader: pyarrow is a tenth faster on ten million links
between integers and slower elsewhere, polars is slower everywhere, both take more memory and lose rules of
reading, and each would be a dependency of some 180 MB.""",
    "evaluation": """One evaluation of the objective and its gradient. The limit is the time of its three matrix
products at the speed of large matrix products, plus the entrywise part alone, on as many threads. PyTorch works on
dense matrices with automatic differentiation: with the loss as printed in Algorithm 2, and with its own fused
cross-entropy.""",
    "fits_ppi": "Whole fits of 200 iterations; values are in float64, relative to the first row of each group.",
    "fits_blog": "The same on a larger graph.",
    "stochastic_losses": """Adam on sampled pairs without validation pairs, from the default start, compared with
the paper's search on all pairs (SciPy's L-BFGS-B, 200 iterations, float64, random start), on the paper's objective;
both losses are over all pairs. Settings were chosen on blog and amazon. That the last steps have to visit all pairs
if there is no penalty was seen on amazon and on ppi.""",
    "stochastic_times": """The same on blog at penalty 10: whole fits including their starts, measured alternately,
compared with dense matrices and automatic differentiation, of which L-BFGS-B needs 205 evaluations there.""",
    "large_epochs": """Seconds per epoch of the search on sampled pairs, with 28 + 4 columns and ten links per node.""",
    "large_1000000": """`philia fit` on a generated graph, from a file of links to a saved model, with 28 + 4
columns: time, memory, how well it separates test links (not in the file) from other pairs, and how well the columns
of the model and of its start match the planted communities.""",
    "large_10000000": """The same with ten million nodes, with links kept on disk to stay within the memory limit.""",
    "large_course_1000000": """A fit of the same graph, evaluated on the test links after every epoch.""",
    "report": """`philia report`, from a model file to a page.""",
    "large_evaluation": """One evaluation over all pairs on larger graphs, several times, alternately.""",
    "peers": """Models compared with public implementations of the same method, with as many columns as the graph
has labels: medians of three seeds, one seed for BigClam on email and ppi. Higher is better for log-likelihoods,
lower for errors. cdlib's learning rate is the best of three; at its default it diverges on some graphs.
scikit-learn's NMF has two factors where SymNMF has one, and is made symmetric by averaging them.""",
    "bigclam": """`BigClam` on com-DBLP, beside an ascent that takes SNAP's steps (`benchmarks/bigclam.py`, compiled
like philia's own code; SNAP's program itself is not run): seconds of processor time from a graph in memory to the
fitted affinities, and the log-likelihood where each ends, by the same formula. Measured by `python -m
benchmarks.bigclam`.""",
    "exact_columns": """Nonnegative columns that represent a network exactly, compared with the guarantees: the
paper's by largest degree c and by arboricity α, each times six for communities, and Theorem B's for any line of
nodes (d is the degeneracy). Then the columns with a random line and with the line found, the longest number in
bits, and seconds of processor time: to search for the line, to compute the numbers, to certify every pair, and to
write the file (MB), read it and verify it.""",
    "exact_constructions": """Every construction: columns, bits, seconds to compute it and to certify
every pair, and, where that takes a minute at most, to check the columns written out in full, every entry in whole
numbers.""",
    "exact_small": """All graphs with a link and up to six nodes, up to isomorphism: sign changes S along the best line
found, so that Theorem B takes 2 (S + 1) columns, the number of columns that is proved to be needed, the fewest with
which a fit was exact and certified, and how many graphs there are of this kind.""",
    "exact_one_space": """Theorem E of docs/exact.md, one space instead of two, beside Theorem B and the fewest columns
fitted: for small networks, and for graphs drawn by a rule. Every sign was checked in integers.""",
    "exact_fitting": """The fewest columns with which a fit was exact and certified as nonnegative integers, compared
with Theorem B and with the number that every representation needs; then the largest smaller number that was tried in
vain, which proves nothing, the longest number in bits, and the iterations and seconds of processor time of the whole
search for the fewest, which is ended after a number of iterations on large networks. The settings of the search were
chosen on email, wiki2405, amazon, polbooks and dolphins; no other network was looked at.""",
}


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows with named cells as a table."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    lines: Iterable[Sequence[str]] = [columns, ["---"] * len(columns)]
    lines = [*lines, *([_cell(row.get(column, "")) for column in columns] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _cell(value: Any) -> str:
    return f"{value:,}" if isinstance(value, (int, float)) else str(value)


def _evaluation(result: Any) -> str:
    memory = next(key for key in result if key != "rows")
    return table(result["rows"]) + f"\n{memory[0].upper()}{memory[1:]}: {result[memory]}.\n"


def _first_answer(result: Any) -> str:
    left_out = "".join(f"\n{note[0].upper()}{note[1:]}.\n" for note in result["left out"])
    drawn = "The same command on generated graphs with a community per 25 nodes, [drawn](results/first_answer.svg):"
    grown = f"\n{drawn}\n\n{table(result['growth'])}" if result["growth"] else ""
    load = result["other programs running at the end"]
    return f"{table(result['rows'])}{left_out}{grown}\nMeasured on {result['date']}, at a load of {load}.\n"


def _reading(result: Any) -> str:
    return table(result["rows"]) + "\n" + table(result["rules"])


def _startup(result: Any) -> str:
    return table([{"what": name, "seconds": seconds} for name, seconds in result.items()])


def _by_network(result: Any) -> str:
    return table([{"network": name, **found} for name, found in result.items()])


def _constructions(result: Any) -> str:
    rows = [(name, maker, found) for name, makers in result.items() for maker, found in makers.items()]
    return table([{"network": name, "construction": maker, **found} for name, maker, found in rows])


def _facts(result: Any) -> str:
    """What is one number, one row each; lists are left to the file."""
    rows = [(name, value) for name, value in result.items() if not isinstance(value, (list, dict))]
    inner = [(f"{name}: {kind}", value) for name, found in result.items() if isinstance(found, dict)
             for kind, value in found.items()]  # fmt: skip
    return table([{"what": name, "": value} for name, value in (*rows, *inner)])


TABLES: dict[str, Callable[[Any], str]] = {
    "first_answer": _first_answer,
    "stochastic_losses": table,
    "stochastic_times": _facts,
    "large_epochs": table,
    "large_1000000": _facts,
    "large_10000000": _facts,
    "large_course_1000000": _facts,
    "report": table,
    "large_evaluation": table,
    "startup": _startup,
    "reading": _reading,
    "evaluation": _evaluation,
    "fits_ppi": table,
    "fits_blog": table,
    "peers": table,
    "bigclam": table,
    "exact_columns": _by_network,
    "exact_constructions": _constructions,
    "exact_small": table,
    "exact_one_space": _by_network,
    "exact_fitting": _by_network,
}

if __name__ == "__main__":
    run()
