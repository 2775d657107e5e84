"""Everything that is attacked, by name."""

from __future__ import annotations

from tests.fuzz import certificates, checkpoints, models
from tests.fuzz.harness import Target
from tests.fuzz.readers import READERS

TARGETS: dict[str, Target] = {
    **READERS,
    "models": models.TARGET,
    "checkpoints": checkpoints.TARGET,
    "certificates": certificates.TARGET,
}
