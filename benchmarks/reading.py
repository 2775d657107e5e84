"""How fast edge lists are read: ``python -m benchmarks.reading [--links N]``.

Two files of random links are made in a temporary folder, one with integers and one with text as names. Each is read by
``philia.read_graph`` and by a plain Python reader, in turns, every time in a process of its own, so that the peak of
memory is that of one reading. Imports and compilation are not counted; what is reported are medians of three.
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

import numpy as np
from scipy import sparse

from benchmarks.measuring import own_peak, save

REPEATS = 3
_WARM_UP = 1 << 19
_LINES_AT_ONCE = 1 << 18


def run(links: int) -> dict[str, dict[str, float]]:
    """Seconds, MB a second and peak GB of both readers, and how many times longer the plain one takes."""
    with tempfile.TemporaryDirectory() as folder:
        return {
            "integers": _compared(Path(folder), links, "{}\t{}\n"),
            "text": _compared(Path(folder), links, "user{:x}\tuser{:x}\n"),
        }


def _compared(folder: Path, links: int, line: str) -> dict[str, float]:
    path, small = folder / "links.txt", folder / "small.txt"
    _write(path, links, line)
    _write(small, _WARM_UP, line)
    turns = [{reader: _once(reader, path, small) for reader in READERS} for _ in range(REPEATS)]
    seconds, peak = (
        {reader: float(np.median([turn[reader][which] for turn in turns])) for reader in READERS} for which in (0, 1)
    )
    megabytes = path.stat().st_size / 1e6
    return {
        "megabytes": round(megabytes, 1),
        **{f"{reader}: seconds": round(seconds[reader], 2) for reader in READERS},
        **{f"{reader}: MB a second": round(megabytes / seconds[reader], 1) for reader in READERS},
        **{f"{reader}: peak GB": round(peak[reader], 2) for reader in READERS},
        "plain / philia": round(seconds["plain"] / seconds["philia"], 1),
    }


def _write(path: Path, links: int, line: str) -> None:
    """Random links, ten a node."""
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


READERS: dict[str, Callable[[str], int]] = {"philia": _read_with_philia, "plain": _read_plainly}


def _measure(reader: str, path: str, small: str) -> None:
    READERS[reader](small)
    began = time.perf_counter()
    READERS[reader](path)
    print(json.dumps([time.perf_counter() - began, own_peak()]))


def main() -> None:
    """Parse the command line, measure and save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--links", type=int, default=10_000_000)
    parser.add_argument("--reader", nargs=3, metavar=("READER", "PATH", "SMALL"), help="time one reading and print it")
    chosen = parser.parse_args()
    if chosen.reader:
        _measure(*chosen.reader)
    else:
        save("reading", {"links": chosen.links, **run(chosen.links)})


if __name__ == "__main__":
    main()
