"""The models of the comparison against public programs of the same method, and against textbook updates."""

from __future__ import annotations

import numpy as np
import pytest

from philia import SVD, AttractRepel, BigClam, LogisticPCA, NormalizedCuts, SoftClustering, SymNMF
from philia._types import Float64Array
from philia.datasets import classic, dating_app
from philia.exceptions import InvalidParameterError
from philia.graphs import Graph
from tests.models.peers import cdlib_bigclam
from tests.reference import updates
from tests.strategies import random_graph

GRAPHS = {
    "karate": classic("karate"),
    "dating app": dating_app(150, cities=3, random_state=0).graph,
    "random": random_graph(80, 0.1, seed=3),
}


@pytest.fixture(params=GRAPHS)
def graph(request: pytest.FixtureRequest) -> Graph:
    return GRAPHS[request.param]


def dense(graph: Graph) -> Float64Array:
    return np.asarray(graph.adjacency.toarray(), dtype=float)


def bigclam_log_likelihood(graph: Graph, F: Float64Array) -> float:
    """Over pairs of different nodes, each once."""
    rows, columns = np.triu_indices(graph.n_nodes, k=1)
    scores = (F @ F.T)[rows, columns]
    linked = graph.linked(rows, columns)
    return float(np.where(linked, np.log(-np.expm1(-np.maximum(scores, 1e-12))), -scores).sum())


def test_bigclam_reaches_at_least_the_likelihood_of_cdlibs(graph: Graph) -> None:
    np.random.seed(0)  # noqa: NPY002  (cdlib draws from the global state)
    with np.errstate(over="ignore"):  # its steps may grow too long
        theirs = cdlib_bigclam().get_embeddings(dense(graph), 4, iterations=100)
    ours = BigClam(4, include_diagonal=False, random_state=0).fit(graph).factors_.homophilous
    assert bigclam_log_likelihood(graph, ours) >= bigclam_log_likelihood(graph, theirs)


def test_bigclam_is_at_rest_where_it_converged_with_cdlibs_gradient() -> None:
    graph = GRAPHS["karate"]
    from philia.solvers import LBFGSB

    model = BigClam(2, include_diagonal=False, random_state=0, solver=LBFGSB(iterations=3000, value_tolerance=1e-14))
    F = model.fit(graph).factors_.homophilous
    gradient = np.array([cdlib_bigclam().gradient_fast(F, dense(graph), i) for i in range(graph.n_nodes)])
    assert np.abs(gradient[F > 1e-6]).max() < 0.05
    assert gradient[F <= 1e-6].max(initial=-1.0) < 0.05


def test_symnmf_reaches_at_least_the_error_of_multiplicative_updates(graph: Graph) -> None:
    A = dense(graph)
    H = np.random.default_rng(0).uniform(0, 2 * np.sqrt(A.mean() / 4), size=(graph.n_nodes, 4))
    theirs = updates.symnmf_by_multiplication(A, H, steps=500)
    ours = SymNMF(4, random_state=0).fit(graph).factors_.homophilous
    assert ((A - ours @ ours.T) ** 2).sum() <= ((A - theirs @ theirs.T) ** 2).sum() * 1.005


def test_symnmf_is_not_far_from_scikit_learns_nmf_with_twice_the_numbers(graph: Graph) -> None:
    from sklearn.decomposition import NMF

    A = dense(graph)
    nmf = NMF(4, init="nndsvda", max_iter=2000, random_state=0)
    W = nmf.fit_transform(A)
    theirs = ((A - W @ nmf.components_) ** 2).sum()
    symmetric = (W + nmf.components_.T) / 2
    ours = SymNMF(4, random_state=0).fit(graph).factors_.homophilous
    error = ((A - ours @ ours.T) ** 2).sum()
    assert error <= ((A - symmetric @ symmetric.T) ** 2).sum()
    assert error <= 1.3 * theirs


def test_soft_clustering_reaches_at_least_the_divergence_of_its_authors_updates(graph: Graph) -> None:
    A = dense(graph)
    rng = np.random.default_rng(0)
    H = rng.uniform(0.5, 1, size=(graph.n_nodes, 4))
    H, strengths = updates.soft_clustering_by_multiplication(A, H / H.sum(axis=0), np.full(4, A.sum() / 4), steps=300)
    theirs = updates.divergence(A, (H * strengths) @ H.T)
    model = SoftClustering(4, random_state=0).fit(graph)
    G, weights = model.clusters()
    ours = updates.divergence(A, (G * weights) @ G.T)
    assert ours == pytest.approx(model.solution_.value, rel=1e-6)
    assert ours <= theirs * 1.01
    assert weights.sum() == pytest.approx(A.sum(), rel=1e-3)


def test_svd_has_the_error_of_scikit_learns_truncated_svd(graph: Graph) -> None:
    from sklearn.decomposition import TruncatedSVD

    A = dense(graph)
    svd = TruncatedSVD(5, algorithm="arpack", random_state=0)
    theirs = ((A - svd.fit_transform(A) @ svd.components_) ** 2).sum()
    model = SVD(5, random_state=0).fit(graph)
    ours = ((A - model.factors_.score_block(slice(None), slice(None))) ** 2).sum()
    assert ours == pytest.approx(theirs, rel=1e-9)
    assert model.solution_.value == pytest.approx(ours, rel=1e-9)


def test_normalized_cuts_is_scikit_learns_partition(graph: Graph) -> None:
    from sklearn.cluster import SpectralClustering
    from sklearn.metrics import adjusted_rand_score

    theirs = SpectralClustering(3, affinity="precomputed", random_state=1).fit_predict(dense(graph))
    ours = NormalizedCuts(3, random_state=0).fit(graph).factors_.groups
    assert adjusted_rand_score(theirs, ours) > 0.7


def test_attract_repel_is_nearer_off_the_diagonal_than_the_spectrum(graph: Graph) -> None:
    A = dense(graph)
    off = ~np.eye(graph.n_nodes, dtype=bool)
    spectrum = SVD(5, random_state=0).fit(graph)
    k_B, k_C = spectrum.factors_.positive.shape[1], spectrum.factors_.negative.shape[1]
    model = AttractRepel(k_B, k_C, random_state=0).fit(graph)
    blocks = [m.factors_.score_block(slice(None), slice(None)) for m in (model, spectrum)]
    ours, theirs = (((A - block) ** 2)[off].sum() for block in blocks)
    assert ours < theirs
    # Without a penalty, columns that attract and columns that repel grow and cancel, and digits with them.
    assert model.solution_.value == pytest.approx(ours, rel=1e-7)
    np.testing.assert_allclose(np.diag(blocks[0]) + model.diagonal(), 0, atol=1e-9)


def test_symmetric_logits_never_cost_more_than_both_directions(graph: Graph) -> None:
    A = dense(graph)
    model = LogisticPCA(3, random_state=0).fit(graph)
    X, Y = model.factors_.left, model.factors_.right
    both = (np.logaddexp(0, X @ Y.T) - A * (X @ Y.T)).sum()
    L = model.factors_.score_block(slice(None), slice(None))
    assert both == pytest.approx(model.solution_.value, rel=1e-6)
    assert (np.logaddexp(0, L) - A * L).sum() <= both
    np.testing.assert_allclose(model.factors_.signed().score_block(slice(None), slice(None)), L, atol=1e-8)


def test_blocks_have_the_densities_of_seen_pairs() -> None:
    graph = GRAPHS["dating app"]
    model = NormalizedCuts(3, random_state=0).fit(graph, held_out=0.3)
    hidden, groups = model.held_out_, model.factors_.groups
    assert hidden is not None
    rows, columns = np.triu_indices(graph.n_nodes, k=1)
    seen = ~hidden.contains(rows, columns)
    for a in range(3):
        for b in range(3):
            between = seen & (
                ((groups[rows] == a) & (groups[columns] == b)) | ((groups[rows] == b) & (groups[columns] == a))
            )
            expected = graph.linked(rows[between], columns[between]).mean()
            assert model.factors_.densities[a, b] == pytest.approx(expected)


def test_signs_are_those_of_the_second_eigenvector_of_the_laplacian(graph: Graph) -> None:
    A = dense(graph)
    roots = np.sqrt(A.sum(axis=1))
    L = np.eye(len(A)) - A / np.maximum(np.outer(roots, roots), 1)
    second = np.linalg.eigh(L)[1][:, 1]
    ours = NormalizedCuts(2, cut_by="signs", random_state=0).fit(graph).factors_.groups
    agreement = ((second > 0) == ours).mean()
    assert max(agreement, 1 - agreement) == 1


def test_signs_keep_components_apart() -> None:
    apart = NormalizedCuts(2, cut_by="signs", random_state=0).fit([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)])
    groups = apart.factors_.groups
    assert len(set(groups[:3].tolist())) == len(set(groups[3:].tolist())) == 1
    assert groups[0] != groups[3]


def test_signs_divide_into_two_and_nothing_else() -> None:
    with pytest.raises(InvalidParameterError, match="two"):
        NormalizedCuts(3, cut_by="signs").fit(GRAPHS["karate"])
    with pytest.raises(InvalidParameterError, match="cut_by"):
        NormalizedCuts(2, cut_by="chance").fit(GRAPHS["karate"])


def test_the_share_of_repulsion_is_that_of_the_negative_eigenvalues(graph: Graph) -> None:
    model = AttractRepel(3, 2, penalty=0.1, random_state=0).fit(graph)
    values = np.linalg.eigvalsh(model.factors_.score_block(slice(None), slice(None)))
    expected = (values[values < 0] ** 2).sum() / (values**2).sum()
    assert model.repulsion() == pytest.approx(expected, rel=1e-6)
    assert 0 <= model.repulsion() <= 1


def test_logistic_pca_starts_where_it_is_told(graph: Graph) -> None:
    rng = np.random.default_rng
    for start, size in (("scaled", 0.5), ("unit", 1.0)):
        F = LogisticPCA(4, start=start).parametrization().start(graph, rng(0))
        assert 0.9 * size < np.abs(F).max() <= size
    with pytest.raises(InvalidParameterError, match="start"):
        LogisticPCA(4, start="spectral").fit(graph)


@pytest.mark.parametrize("kind", [BigClam, SymNMF, SoftClustering, AttractRepel])
def test_the_terms_of_a_score_add_up(kind: type[BigClam | SymNMF | SoftClustering | AttractRepel]) -> None:
    model = kind(3, random_state=0).fit(GRAPHS["karate"])
    for pair in [(0, 1), (5, 30), (33, 2)]:
        said = model.explain(*pair)
        assert said.score == pytest.approx(float(model.decision_function([pair])[0]), abs=1e-9)
        assert said.probability == pytest.approx(float(model.predict_proba([pair])[0]), abs=1e-9)
