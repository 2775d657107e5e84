"""Where the real networks are, and the mark of tests that are left out where they are not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("PHILIA_DATA", Path(__file__).parents[2] / "shared" / "data"))

NEEDS_DATA = pytest.mark.skipif(
    not (DATA / "README.md").is_file(), reason=f"no data in {DATA}; set PHILIA_DATA to the folder that holds it"
)
