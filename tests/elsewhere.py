"""``python -m tests.elsewhere``: the examples of the documents, and the tests of fitted numbers, on other processors.

Another processor rounds differently: BLAS, NumPy and numba each choose their instructions by what they find. Here they
are told to find something else: the oldest processor there is, and the newest, other than its own, that this machine
can stand for. With ``--all`` every one in between is tried too. What this machine cannot run is left out, and named.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

from threadpoolctl import threadpool_info

_NUMPY = import_module("numpy._core._multiarray_umath")
_HAS: dict[str, bool] = _NUMPY.__cpu_features__
_CHOOSES: list[str] = _NUMPY.__cpu_dispatch__
"""What this processor has, and which of it NumPy asks for before it chooses its instructions."""

NEEDED = {"Nehalem": "SSE42", "Sandybridge": "AVX", "Haswell": "AVX2", "SkylakeX": "AVX512_SKX"}
"""Settings of OPENBLAS_CORETYPE, and what a processor must have to run them."""

TESTS = (
    "README.md",
    "docs",
    "src/philia/models",
    "src/philia/explain",
    "src/philia/report",
    "tests/models/test_community_model.py",
    "tests/models/test_dating_app.py",
    "tests/models/test_placement.py",
    "tests/explain",
    "tests/report/test_numbers.py",
    "tests/cli/test_examples.py",
    "tests/exact/test_degeneracy.py",
    "tests/exact/test_products.py",
)
"""What shows or checks digits of a fit. Which settings are chosen is compared in tests/models/test_processors.py."""


def settings(cache: str) -> dict[str, dict[str, str]]:
    """The environment of each processor that this one can stand for; ``cache`` is a folder for its compiled kernels."""
    plain = " ".join(name for name in _CHOOSES if _HAS.get(name))
    found = {core: {"OPENBLAS_CORETYPE": core} for core, needed in NEEDED.items() if _HAS.get(needed)}
    if "Nehalem" in found and plain:
        found["Nehalem"]["NPY_DISABLE_CPU_FEATURES"] = plain
    return {**found, "generic": {"NUMBA_CPU_NAME": "generic", "NUMBA_CACHE_DIR": cache}}


def farthest(found: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """The two of them that are least alike: all that is old in one processor, and the newest but this one."""
    cores = [core for core in NEEDED if core in found]
    own = {library.get("architecture") for library in threadpool_info()}
    newest = {core: found[core] for core in [core for core in cores[1:] if core not in own][-1:]}
    return {"oldest": {**(found[cores[0]] if cores else {}), **found["generic"]}, **newest}


def passes(name: str, environment: dict[str, str]) -> bool:
    """Whether the tests pass on this processor, which is printed with the time they took."""
    began = time.monotonic()
    command = [sys.executable, "-m", "pytest", "-n", "auto", "--dist", "worksteal", "-m", "not slow", *TESTS]
    done = subprocess.run(command, cwd=Path(__file__).parents[1], env={**os.environ, **environment}, check=False)
    print(f"{name}: {'failed' if done.returncode else 'passed'}, {time.monotonic() - began:.0f} s", flush=True)
    return done.returncode == 0


def main() -> int:
    with tempfile.TemporaryDirectory() as cache:
        found = settings(cache)
        for missing in [core for core in NEEDED if core not in found]:
            print(f"{missing}: left out, this processor has no {NEEDED[missing]}", flush=True)
        chosen = found if "--all" in sys.argv[1:] else farthest(found)
        failed = [name for name, environment in chosen.items() if not passes(name, environment)]
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
