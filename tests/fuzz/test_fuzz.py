from __future__ import annotations

import pytest

from tests.fuzz.harness import run
from tests.fuzz.targets import TARGETS

INPUTS = 400
"""Mutated inputs of each kind on every run; `make fuzz` takes as many as one likes."""


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_mutated_input_is_read_or_refused(name: str) -> None:
    assert run(TARGETS[name], INPUTS).failures == []
