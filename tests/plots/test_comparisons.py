from __future__ import annotations

import numpy as np
import pytest

from philia import SVD, SymNMF, plots
from philia.datasets import DatingApp
from philia.evaluate import Reconstruction, reconstruction


def test_results_of_reconstruction_and_plain_numbers_are_drawn_alike(app: DatingApp) -> None:
    models = {k: SVD(k, random_state=0).fit(app.graph) for k in (2, 5)}
    errors = {k: reconstruction(app.graph, model.expected_block) for k, model in models.items()}
    numbers = {k: error.normalized for k, error in errors.items()}
    of_results, of_numbers = (plots.error_by_dimension({"SVD": found}).lines[0] for found in (errors, numbers))
    np.testing.assert_array_equal(of_results.get_xydata(), of_numbers.get_xydata())
    np.testing.assert_array_equal(np.asarray(of_results.get_ydata()), [errors[2].normalized, errors[5].normalized])


def test_seeds_are_averaged_and_every_method_has_a_label(app: DatingApp) -> None:
    seeds = [SymNMF(3, random_state=seed).fit(app.graph) for seed in (0, 1)]
    errors: list[Reconstruction | float] = [reconstruction(app.graph, model.expected_block) for model in seeds]
    ax = plots.error_by_dimension({"SymNMF": {3: errors}, "costs $5 and $6": {3: 0.5}}, floor=0.2)
    mean = np.mean([reconstruction(app.graph, model.expected_block).normalized for model in seeds])
    assert float(np.asarray(ax.lines[0].get_ydata())[0]) == pytest.approx(mean)
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["SymNMF", "costs \\$5 and \\$6"]
    assert ax.get_xticks().tolist() == [3]
