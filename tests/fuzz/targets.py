"""Everything that is attacked, by name."""

from __future__ import annotations

from tests.fuzz import certificates
from tests.fuzz.harness import Target

TARGETS: dict[str, Target] = {"certificates": certificates.TARGET}
