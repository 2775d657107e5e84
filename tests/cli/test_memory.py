from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from philia.models import CommunityModel, memory_plan

SMALL = ["-B", "3", "-C", "1", "--penalty", "1"]


def test_a_memory_limit_that_is_not_reached_changes_nothing(folder: Path, run: Any) -> None:
    plain = run("fit", "links.csv", *SMALL, "-o", "plain.safetensors")
    bounded = run("fit", "links.csv", *SMALL, "--memory", "1T", "-o", "bounded.safetensors")
    assert plain.stderr == bounded.stderr
    one, other = (CommunityModel.load(folder / f"{name}.safetensors") for name in ("plain", "bounded"))
    np.testing.assert_array_equal(one.factors_.homophilous, other.factors_.homophilous)


def test_a_fit_that_would_exceed_its_memory_limit_is_refused(folder: Path, run: Any) -> None:
    refused = run("fit", "links.csv", *SMALL, "--memory", "20M", "-o", "new.safetensors", code=2)
    assert "7 columns on 40 nodes" in refused.stderr
    assert "allow at least" in refused.stderr
    assert "Fitting" not in refused.stderr
    assert not (folder / "new.safetensors").exists()
    wrong = run("fit", "links.csv", *SMALL, "--memory", "lots", "-o", "new.safetensors", code=2)
    assert "give a size such as 500M, 4G" in wrong.stderr


def test_a_remark_says_that_links_are_kept_on_disk(folder: Path, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = memory_plan.MemoryPlan(reading=1, start=1, search=1, saving=1, mapped=True)
    monkeypatch.setattr(memory_plan, "plan_for", lambda model, graph, memory: plan)
    said = run("fit", "links.csv", *SMALL, "--memory", "1T", "-o", "new.safetensors")
    assert "links are kept on disk" in said.stderr
    assert CommunityModel.load(folder / "new.safetensors").graph_.n_nodes == 40
    said = run("fit", "links.csv", "--model", "RandomLinks", "--memory", "1T", "-o", "other.safetensors")
    assert "the limit holds for reading" in said.stderr
