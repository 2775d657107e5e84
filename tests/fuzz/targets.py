"""Everything that is attacked, by name."""

from __future__ import annotations

from tests.fuzz.harness import Target

TARGETS: dict[str, Target] = {}
