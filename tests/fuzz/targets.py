"""Everything that is attacked, by name."""

from __future__ import annotations

from tests.fuzz import checkpoints, models
from tests.fuzz.harness import Target

TARGETS: dict[str, Target] = {"models": models.TARGET, "checkpoints": checkpoints.TARGET}
