"""How fast edge lists are read: ``python -m benchmarks.reading [--links N ...]``.

Two files of random links are made in a temporary folder, one with integers and one with text as names. Each is read by
``philia.read_graph``, by polars and pyarrow, and by a plain Python reader, in turns, every time in its own process, so
that the peak of memory is that of one reading. Imports and compilation are not counted; medians of three are reported.
The two libraries get the best case: they are told the format and the types, they split the lines and number the names
by their own means, and philia makes the graph. ``rules`` shows which messy files they read as philia does.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.measuring import own_peak, save

REPEATS = 3
_WARM_UP = 1 << 19
_LINES_AT_ONCE = 1 << 18


def run(links: int) -> list[dict[str, Any]]:
    """Seconds, MB per second and peak GB of each reader."""
    with tempfile.TemporaryDirectory() as folder:
        return [
            *_compared(Path(folder), links, "integers", "{}\t{}\n"),
            *_compared(Path(folder), links, "text", "user{:x}\tuser{:x}\n"),
        ]


def _compared(folder: Path, links: int, names: str, line: str) -> list[dict[str, Any]]:
    path, small = folder / "links.txt", folder / "small.txt"
    _write(path, links, line)
    _write(small, _WARM_UP, line)
    turns = [{reader: _once(reader, path, small) for reader in READERS} for _ in range(REPEATS)]
    megabytes = path.stat().st_size / 1e6
    rows = []
    for reader in READERS:
        seconds, peak = (float(np.median([turn[reader][which] for turn in turns])) for which in (0, 1))
        figures = {"seconds": round(seconds, 2), "MB per second": round(megabytes / seconds, 1)}
        size = {"links": links, "MB": round(megabytes, 1)}
        rows.append({"names": names, **size, "reader": reader, **figures, "peak GB": round(peak, 2)})
    return rows


def _write(path: Path, links: int, line: str) -> None:
    """Random links, ten per node."""
    ends = np.random.default_rng(0).integers(0, max(links // 10, 2), (links, 2))
    with path.open("w") as file:
        for begin in range(0, links, _LINES_AT_ONCE):
            file.writelines(line.format(u, v) for u, v in ends[begin : begin + _LINES_AT_ONCE].tolist())


def _once(reader: str, path: Path, small: Path) -> tuple[float, float]:
    """Seconds and peak GB of one reading in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.reading", "--reader", reader, str(path), str(small)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[1])
    seconds, peak = json.loads(done.stdout)
    return seconds, peak


def _read_with_philia(path: str) -> int:
    from philia import read_graph

    return read_graph(path).n_links


def _read_plainly(path: str) -> int:
    """What one writes in ten lines: split, look up, append."""
    rows: list[int] = []
    columns: list[int] = []
    known: dict[str, int] = {}
    with Path(path).open() as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                u, v = line.split()[:2]
                rows.append(known.setdefault(u, len(known)))
                columns.append(known.setdefault(v, len(known)))
    matrix = sparse.coo_array((np.ones(len(rows), np.bool_), (rows, columns)), shape=(len(known), len(known))).tocsr()
    return int((sparse.triu(matrix + matrix.T, k=1)).nnz)


def _read_with_polars(path: str) -> int:
    import polars

    kind = polars.Int64 if _has_integers(path) else polars.String
    frame = polars.read_csv(path, separator="\t", has_header=False, schema={"u": kind, "v": kind})
    both = polars.concat([frame["u"], frame["v"]]).alias("name").to_frame()
    names = both.unique(maintain_order=True).with_row_index("number")
    numbers = both.join(names, on="name", how="left", maintain_order="left")["number"].to_numpy()
    return _links_of(numbers, names["name"].to_numpy() if kind == polars.Int64 else names["name"].to_list())


def _read_with_pyarrow(path: str) -> int:
    import pyarrow
    from pyarrow import csv

    kind = pyarrow.int64() if _has_integers(path) else pyarrow.string()
    table = csv.read_csv(
        path,
        csv.ReadOptions(column_names=["u", "v"]),
        csv.ParseOptions(delimiter="\t"),
        csv.ConvertOptions(column_types={"u": kind, "v": kind}),
    )
    both = pyarrow.chunked_array([*table["u"].chunks, *table["v"].chunks]).combine_chunks().dictionary_encode()
    names = both.dictionary
    return _links_of(both.indices.to_numpy(), names.to_numpy() if kind == pyarrow.int64() else names.to_pylist())


def _has_integers(path: str) -> bool:
    with Path(path).open() as file:
        return file.readline().split()[0].isdecimal()


def _links_of(numbers: Any, names: Any) -> int:
    """The number of links of the graph, made as philia makes it once names are numbered."""
    from philia.graphs import Nodes
    from philia.graphs.links import ascending, graph_from_rows

    ends: Any = np.split(numbers.astype(np.int32), 2)
    nodes, ends = ascending(names, ends) if isinstance(names, np.ndarray) else (Nodes(names), ends)
    return graph_from_rows(ends[0], ends[1], nodes).n_links


READERS: dict[str, Callable[[str], int]] = {
    "philia": _read_with_philia,
    "polars": _read_with_polars,
    "pyarrow": _read_with_pyarrow,
    "plain": _read_plainly,
}


MESSY = {
    "comments between links, by any of three prefixes": ("1\t2\n# note\n2\t3\n% more\n// and\n3\t4\n", "\t"),
    "indented comments": ("1\t2\n  # note\n2\t3\n", "\t"),
    "blank lines": ("1\t2\n\n2\t3\n \n\t\n3\t4\n", "\t"),
    "runs of spaces between names": ("1   2\n2 3\n 3  4\n", " "),
    "spaces and tabs between names": ("1 \t2\n2\t3\n", " "),
    "spaces around names": ("ann , bob\nbob ,cat\n", ","),
    "Windows line ends": ("1\t2\r\n2\t3\r\n", "\t"),
    "old Macintosh line ends": ("1\t2\r2\t3\r", "\t"),
    "some lines with further columns": ("1\t2\n2\t3\tx\ty\n3\t4\n", "\t"),
    "a line with one name (an error)": ("1\t2\n7\n3\t4\n", "\t"),
    "an empty name (an error)": ("1,2\n,3\n3,4\n", ","),
    "names in quotes": ('"a, b",c\n"c ""d""",e\n', ","),
    "a quote that is not closed (an error)": ('"a,b\nc,d\n', ","),
    "a number in quotes (text)": ('"1",2\n2,3\n', ","),
    "leading zeros (text)": ("007\t7\n7\t8\n", "\t"),
    "NA, null and true (text)": ("NA\tnull\nnull\ttrue\n", "\t"),
    "text after many integers": ("".join(f"{i}\t{i + 1}\n" for i in range(3000)) + "ann\t5\n", "\t"),
}
"""Small files that people write, and their delimiter (a space: runs of spaces and tabs)."""


def rules() -> list[dict[str, str]]:
    """Which messy files the libraries read as philia does, if philia's rules then tell integers from text."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "links.txt"
        for name, (text, delimiter) in MESSY.items():
            path.write_bytes(text.encode())
            expected = _outcome(_pairs_with_philia, path, delimiter)
            found = {"polars": _pairs_with_polars, "pyarrow": _pairs_with_pyarrow}
            same = {library: _outcome(read, path, delimiter) == expected for library, read in found.items()}
            rows.append({"file": name, **{library: "same" if equal else "differs" for library, equal in same.items()}})
    return rows


def _outcome(read: Callable[[Path, str], Any], path: Path, delimiter: str) -> Any:
    try:
        return read(path, delimiter)
    except Exception:  # whatever the library raises
        return "an error"


def _pairs_with_philia(path: Path, delimiter: str) -> set[frozenset[object]]:
    from philia import read_graph

    graph = read_graph(path, delimiter=delimiter, header=False, columns=(0, 1))
    return {frozenset(pair) for pair in zip(*(graph.nodes.pick(end) for end in graph.links), strict=True)}


def _pairs_with_polars(path: Path, delimiter: str) -> set[frozenset[object]]:
    import polars

    frame = polars.read_csv(
        path,
        separator=delimiter,
        has_header=False,
        comment_prefix="#",
        truncate_ragged_lines=True,
        infer_schema=False,
    )
    return _typed_pairs(*(frame[name].to_list() for name in frame.columns[:2]))


def _pairs_with_pyarrow(path: Path, delimiter: str) -> set[frozenset[object]]:
    import pyarrow
    from pyarrow import csv

    def skip_comments(row: Any) -> str:
        return "skip" if row.text.lstrip().startswith(("#", "%", "//")) else "error"

    table = csv.read_csv(
        path,
        csv.ReadOptions(autogenerate_column_names=True),
        csv.ParseOptions(delimiter=delimiter, invalid_row_handler=skip_comments),
        csv.ConvertOptions(
            column_types={"f0": pyarrow.string(), "f1": pyarrow.string()},
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    return _typed_pairs(table["f0"].to_pylist(), table["f1"].to_pylist())


def _typed_pairs(u: list[str], v: list[str]) -> set[frozenset[object]]:
    from philia.graphs.files.names import typed

    if None in u or None in v:
        raise ValueError("a name is missing")
    names = typed([name.encode() for name in [*u, *v]])
    return {frozenset(pair) for pair in zip(names[: len(u)], names[len(u) :], strict=True)}


def _measure(reader: str, path: str, small: str) -> None:
    READERS[reader](small)
    began = time.perf_counter()
    READERS[reader](path)
    print(json.dumps([time.perf_counter() - began, own_peak()]))


def main() -> None:
    """Parse the command line, measure and save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--links", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--reader", nargs=3, metavar=("READER", "PATH", "SMALL"), help="time one reading and print it")
    chosen = parser.parse_args()
    if chosen.reader:
        _measure(*chosen.reader)
    else:
        save("reading", {"rows": [row for links in chosen.links for row in run(links)], "rules": rules()})


if __name__ == "__main__":
    main()
