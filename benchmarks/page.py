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
Ratios are of times taken in turns in one run, medians of several; times alone depend on the machine and its mood.
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
    return f"## {name.replace('_', ', ')}\n\n{WORDS[name]}\n\n{TABLES[name](measured['result'])}\n({machine})\n"


WORDS = {
    "startup": "Seconds from start to end of a process, on a warm machine.",
    "reading": "Reading an edge list with `read_graph`, beside a plain Python reader that splits and looks up.",
    "evaluation": """One evaluation of the objective and its gradient. The limit is the flops of its three products at
the speed of large matrix products plus the entrywise part alone, on as many threads. PyTorch works on dense matrices
with automatic differentiation: with the loss as Algorithm 2 prints it, and with its own fused cross-entropy.""",
    "fits_ppi": "Whole fits of 200 iterations; values are evaluated in float64, against the first row of each group.",
    "fits_blog": "The same on a larger graph.",
    "peers": """Models beside public programs of the same method, with as many columns as the graph has labels: medians
of three seeds, of one for BigClam on email and ppi. A log-likelihood is better the higher, an error the lower. cdlib's
learning rate is the best of three; at its default it diverges on some graphs. scikit-learn's NMF
has two factors where SymNMF has one, and is made symmetric by their mean.""",
    "exact_columns": """Nonnegative columns that represent a network exactly, beside what theorems promise: the paper's
by largest degree c and by arboricity α, each six times for communities, and Theorem B's for any line of nodes (d is
the degeneracy). Then a line by chance, the line found, the longest number in bits, and seconds: to search the line, to
make the numbers, to certify every pair, and to write the file (MB), read it and verify it from there.""",
    "exact_constructions": """Every construction: columns, bits, seconds to make it and to certify every pair, and,
where that is a matter of minutes, to check the columns written out in full, every entry in whole numbers.""",
    "exact_fitting": """The fewest columns with which a fit was found to be exact and certified, for communities and
for logistic PCA, beside what constructions take; in brackets the most columns that were tried in vain, and how long the
exact fit took. That a fit with fewer was not found proves nothing.""",
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


def _reading(result: Any) -> str:
    kinds = [(name, found) for name, found in result.items() if isinstance(found, dict)]
    return f"{result['links']:,} links.\n\n" + table([{"names": name, **found} for name, found in kinds])


def _startup(result: Any) -> str:
    return table([{"what": name, "seconds": seconds} for name, seconds in result.items()])


def _by_network(result: Any) -> str:
    return table([{"network": name, **found} for name, found in result.items()])


def _constructions(result: Any) -> str:
    rows = [(name, maker, found) for name, makers in result.items() for maker, found in makers.items()]
    return table([{"network": name, "construction": maker, **found} for name, maker, found in rows])


def _fitting(result: Any) -> str:
    facts = ("nodes", "links", "degeneracy", "Theorem B, communities", "2c + 1, logistic")
    return table(
        [
            {"network": name, **{fact: found[fact] for fact in facts}, **_smallest(found)}
            for name, found in result.items()
        ]
    )


def _smallest(found: Any) -> dict[str, str]:
    cells = {}
    for model in ("community", "logistic"):
        tried = {int(k): row for k, row in found.get(model, {}).get("tried", {}).items()}
        exact = min((k for k, row in tried.items() if row), default=None)
        vain = max((k for k, row in tried.items() if not row and (exact is None or k < exact)), default=None)
        took = "" if exact is None else f", {tried[exact]['seconds']:,} s"
        cells[model] = "" if not tried else f"{exact or '-'} ({vain or '-'}{took})"
    return cells


TABLES: dict[str, Callable[[Any], str]] = {
    "startup": _startup,
    "reading": _reading,
    "evaluation": _evaluation,
    "fits_ppi": table,
    "fits_blog": table,
    "peers": table,
    "exact_columns": _by_network,
    "exact_constructions": _constructions,
    "exact_fitting": _fitting,
}

if __name__ == "__main__":
    run()
