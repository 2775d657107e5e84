"""Timing on noisy machines: alternate what is compared, repeat, take medians."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).parent / "results"


def seconds(action: Callable[[], object]) -> float:
    """How long the action takes, once."""
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


_MOMENT = 0.05


def _per_call(action: Callable[[], object]) -> float:
    """Seconds per call, of as many calls as fill a moment: what takes a millisecond is called again and again in a fit.

    Right after a pause it would be measured with threads that still have to wake up.
    """
    calls, took, began = 0, 0.0, time.perf_counter()
    while took < _MOMENT:
        action()
        calls, took = calls + 1, time.perf_counter() - began
    return took / calls


def medians(actions: dict[str, Callable[[], object]], repeats: int = 5) -> dict[str, float]:
    """The median time of each action, all taken in turns so that a slow moment hits them alike.

    A pause before each lets the threads of the one before fall asleep: OpenMP's spin for a while in case of more work.
    """
    for action in actions.values():
        action()
    times: list[dict[str, float]] = []
    for _ in range(repeats):
        times.append({})
        for name, action in actions.items():
            time.sleep(0.2)
            times[-1][name] = _per_call(action)
    return {name: float(np.median([turn[name] for turn in times])) for name in actions}


def on_threads(action: Callable[[], object], threads: int) -> Callable[[], None]:
    """The action on several threads at once."""

    def together() -> None:
        running = [threading.Thread(target=action) for _ in range(threads)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()

    return together


def peak_memory(code: str) -> float:
    """The largest resident memory, in GB, of a fresh interpreter that runs this code."""
    tail = "\nfrom benchmarks.measuring import own_peak; print(own_peak())"
    out = subprocess.run([sys.executable, "-c", code + tail], check=True, capture_output=True, text=True).stdout
    return float(out.split()[-1])


def save(name: str, result: Any) -> None:
    """Keep a result, with the machine it was measured on, and print it."""
    RESULTS.mkdir(exist_ok=True)
    machine = {
        "machine": platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
    }
    text = json.dumps({**machine, "result": result}, indent=1)
    (RESULTS / f"{name}.json").write_text(text + "\n")
    print(f"== {name}\n{text}")


def own_peak() -> float:
    """The largest resident memory of this process so far, in GB; not ``ru_maxrss``, which begins with the parent's."""
    status = Path("/proc/self/status").read_text().splitlines()
    return float(next(line for line in status if line.startswith("VmHWM")).split()[1]) * 1024 / 1e9
