"""``python -m tests.fuzz --inputs 100000``: mutated inputs for as long as one likes; failing ones are kept."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.fuzz.harness import run
from tests.fuzz.targets import TARGETS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", help=f"what to attack (all by default): {', '.join(TARGETS)}")
    parser.add_argument("--inputs", type=int, default=10_000, help="how many mutated inputs for each target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz"), help="folder for inputs that failed")
    asked = parser.parse_args()
    failures = 0
    for name in asked.targets or TARGETS:
        findings = run(TARGETS[name], asked.inputs, asked.seed, asked.keep)
        counts = ", ".join(f"{count} {outcome}" for outcome, count in findings.outcomes.most_common())
        print(f"{name:>16}: {counts}", flush=True)
        for failure in findings.failures[:20]:
            print(f"{'':>18}{failure}", flush=True)
        failures += len(findings.failures)
    print(f"{failures} failures" + (f"; their inputs are in {asked.keep}" if failures else ""))
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
