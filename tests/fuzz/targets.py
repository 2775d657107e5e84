"""Everything that is attacked, by name."""

from __future__ import annotations

from tests.fuzz import certificates
from tests.fuzz.harness import Target
from tests.fuzz.readers import READERS

TARGETS: dict[str, Target] = {**READERS, "certificates": certificates.TARGET}
