"""What is shown while a model is fitted."""

from __future__ import annotations

import io
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from philia import CommunityModel
from philia.datasets import planted
from philia.fitting import progress_bar
from philia.solvers import Progress

GRAPH = planted(60, 2, 0, degree=8, random_state=0).graph


def test_the_share_of_an_automatic_fit_never_falls_and_ends_near_one() -> None:
    told: list[Progress] = []
    CommunityModel(random_state=0).fit(GRAPH, on_iteration=told.append)
    shares = [progress.share if progress.share is not None else -1.0 for progress in told]
    assert len(shares) > 100
    assert shares == sorted(shares)
    assert 0 <= shares[0] < 0.1
    assert 0.9 < shares[-1] <= 1


def test_a_fit_with_given_numbers_counts_its_iterations() -> None:
    told: list[Progress] = []
    CommunityModel(2, 0, penalty=1, random_state=0).fit(GRAPH, on_iteration=told.append)
    assert {progress.share for progress in told} == {None}


def test_watching_does_not_change_a_fit() -> None:
    seen, unseen = CommunityModel(random_state=0), CommunityModel(random_state=0).fit(GRAPH)
    assert (seen.fit(GRAPH, on_iteration=lambda progress: None).features() == unseen.features()).all()


def test_a_notebook_shows_a_bar_without_widgets_and_clears_it(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    def show(data: dict[str, str], **how: Any) -> SimpleNamespace:
        shown.append(data["text/html"])
        return SimpleNamespace(update=show)

    notebook = ModuleType("IPython.display")
    notebook.display = show  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython.display", notebook)
    monkeypatch.setattr(progress_bar, "_BETWEEN", 0.0)
    with progress_bar.progress_bar(Console(force_jupyter=True)) as draw:
        draw(Progress(1, 20, 0.0, 0.1, "trying <2>", 0.25))
        draw(Progress(2, 20, 0.0, 0.2, "trying <2>", 0.5))
    assert shown[0] == shown[-1] == ""
    assert shown[1] == '<progress value="0.250" max="1"></progress> 25% trying &lt;2&gt; '
    assert shown[2].endswith(" 50% trying &lt;2&gt; about 0:00 left")


def test_a_log_gets_a_line_for_each_tenth_of_the_work_and_no_control_characters() -> None:
    log = io.StringIO()
    with progress_bar.progress_bar(Console(file=log)) as draw:
        for step in range(100):
            draw(Progress(step, 100, 0.0, 0.1, "trying [2]", step / 100))
    lines = log.getvalue().splitlines()
    assert lines[0] == "0% trying [2]"
    assert 9 <= len(lines) <= 11
    assert all(line.isprintable() and " trying [2]" in line for line in lines)
