"""What users of networkx, scikit-learn, pandas and cdlib write from habit, before they read any documentation."""

from __future__ import annotations

import copy
import pickle
import re
from typing import Any

import networkx as nx
import numpy as np
import pandas
import polars
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

import philia
from philia import CommunityModel, evaluate
from philia.datasets import classic, dating_app, load, planted
from philia.exceptions import InvalidParameterError
from philia.explain import communities
from philia.graphs import graph
from philia.models import link_model

G = nx.Graph(nx.karate_club_graph().edges())
LINKS = list(G.edges())
PAIRS = pandas.DataFrame({"source": [0, 0], "target": [1, 33]})


@pytest.fixture(scope="module")
def fitted() -> CommunityModel:
    return CommunityModel(random_state=0).fit(G)


def few(**settings: Any) -> CommunityModel:
    return CommunityModel(2, 0, penalty=1, random_state=0, **settings)


@pytest.mark.parametrize(
    "x",
    [
        G,
        LINKS,
        np.array(LINKS),
        nx.to_numpy_array(G),
        nx.to_scipy_sparse_array(G),
        sparse.csr_matrix(nx.to_numpy_array(G)),
        nx.to_pandas_edgelist(G),
        polars.from_pandas(nx.to_pandas_edgelist(G)),
        nx.to_pandas_adjacency(G),
        classic("karate"),
        iter(LINKS),
        G.edges,
    ],
    ids=lambda x: type(x).__name__,
)
def test_fit_takes_what_people_have(x: Any) -> None:
    assert few().fit(x).graph_.n_links == 78


def test_fit_takes_what_datasets_give() -> None:
    for data in (dating_app(60, cities=2, random_state=0), planted(60, 2, 0, degree=8, random_state=0)):
        assert few().fit(data).graph_ is data.graph


SNIPPETS = {
    "set": lambda m: set(m.communities()[0]),
    "list": lambda m: list(m.communities()[0]),
    "sorted": lambda m: sorted(m.communities()[0]),
    "len": lambda m: len(m.communities()[0]) > 1,
    "in": lambda m: next(iter(m.communities()[0])) in m.communities()[0],
    "loop": lambda m: [node for community in m.communities() for node in community],
    "by name": lambda m: m.communities()["B1"].name == "B1",
    "by position": lambda m: m.communities()[0].name == "B1",
    "sets": lambda m: [set(community) for community in m.communities()],
    "frozensets": lambda m: {frozenset(community) for community in m.communities()},
    "labels of communities": lambda m: set(m.communities().labels().values()) == {"B1", "B2"},
    "labels_": lambda m: adjusted_rand_score(m.labels_, m.labels_) == 1,
    "fit_predict": lambda m: few().fit_predict(G).shape == (34,),
    "partition": lambda m: nx.community.is_partition(G, m.partition().values()),
    "modularity": lambda m: nx.community.modularity(G, m.communities()) > 0.3,
    "modularity of a partition": lambda m: nx.community.modularity(G, list(m.partition().values())) > 0.3,
    "coverage": lambda m: nx.community.partition_quality(G, m.communities())[0] > 0.5,
    "set attributes": lambda m: nx.set_node_attributes(G.copy(), m.communities().labels(), "community") is None,
    "subgraph": lambda m: G.subgraph(m.communities()[0]).number_of_nodes() > 1,
    "to pandas": lambda m: len(m.communities().to_pandas()) == 2,
    "to polars": lambda m: len(m.communities().to_polars()) == 2,
    "nodes to pandas": lambda m: len(m.described().nodes.to_pandas()) == 34,
    "to networkx": lambda m: m.graph_.to_networkx().number_of_edges() == 78,
    "single pair": lambda m: m.predict_proba((0, 1)).shape == (1,),
    "list of pairs": lambda m: m.predict_proba([(0, 1), (0, 33)]).shape == (2,),
    "list of lists": lambda m: m.predict_proba([[0, 1], [0, 33]]).shape == (2,),
    "array of pairs": lambda m: m.predict_proba(np.array([[0, 1], [0, 33]])).shape == (2,),
    "zip": lambda m: m.predict_proba(zip([0, 0], [1, 33], strict=True)).shape == (2,),
    "frame of pairs": lambda m: m.predict_proba(PAIRS).shape == (2,),
    "polars frame of pairs": lambda m: m.predict_proba(polars.from_pandas(PAIRS)).shape == (2,),
    "edges": lambda m: m.predict_proba(G.edges()).shape == (78,),
    "non-edges": lambda m: m.predict_proba(nx.non_edges(G)).shape == (483,),
    "roc_auc": lambda m: roc_auc_score([1, 0], m.predict_proba([(0, 1), (0, 33)])) is not None,
    "decision function": lambda m: m.decision_function(PAIRS).shape == (2,),
    "number of top links": lambda m: len(m.top_links(5)) == 5,
    "top links of a node": lambda m: {link.u for link in m.top_links(3, node=5)} == {5},
    "score": lambda m: m.score() < 0,
    "explain": lambda m: "together" in str(m.explain(0, 1)),
    "features": lambda m: m.features().shape[0] == 34,
    "params": lambda m: m.get_params()["random_state"] == 0,
    "clone": lambda m: not hasattr(clone(m), "factors_"),
    "pickle": lambda m: pickle.loads(pickle.dumps(m)).score() == m.score(),
    "deepcopy": lambda m: copy.deepcopy(m).score() == m.score(),
    "print the model": lambda m: "2 communities attract" in str(m) and "34 nodes" in str(m),
    "repr is str": lambda m: repr(m.communities()) == str(m.communities()),
    "repr of an explanation": lambda m: repr(m.explain(0, 1)) == str(m.explain(0, 1)),
    "repr of a community": lambda m: repr(m.communities()[0]).startswith("B1 attracts"),
    "compare with itself": lambda m: philia.compare(m, m).similarity == 1,
    "compare communities": lambda m: evaluate.compare_communities(m.communities(), m.communities()).f1 == 1,
    "compare with labels": lambda m: evaluate.compare_communities(m.communities(), m.communities().labels()).f1 > 0.9,
    "compare with an attribute": lambda m: evaluate.compare_communities(
        m.communities(), nx.get_node_attributes(nx.karate_club_graph(), "club")
    ).f1 > 0.8,
    "sample": lambda m: m.sample(random_state=0).n_nodes == 34,
    "verbose": lambda m: few().fit(G, verbose=True).graph_.n_nodes == 34,
    "intersection": lambda m: m.communities()[0] & m.communities()[1] == set(),
    "union": lambda m: len(m.communities()[0] | m.communities()[1]) == 34,
    "difference": lambda m: m.communities()[0] - {8} == set(m.communities()[0]) - {8},
    "set and community": lambda m: {8, 99} & m.communities()[0] == {8},
    "subset": lambda m: m.communities()[0] <= set(G) and not m.communities()[0] <= m.communities()[1],
    "disjoint": lambda m: m.communities()[0].isdisjoint(m.communities()[1]),
    "equal to a set": lambda m: m.communities()[0] == set(m.communities()[0]),
    "key of a dict": lambda m: {c: c.name for c in m.communities()}[m.communities()["B2"]] == "B2",
    "name in communities": lambda m: "B1" in m.communities() and "B9" not in m.communities(),
    "len of the graph": lambda m: len(m.graph_) == 34,
    "loop over the graph": lambda m: list(m.graph_) == list(m.graph_.nodes),
    "node in the graph": lambda m: 33 in m.graph_ and 34 not in m.graph_,
    "neighbors": lambda m: set(m.graph_.neighbors(0)) == set(G.neighbors(0)),
    "explain a pair": lambda m: m.explain((0, 1)) == m.explain(0, 1),
    "explain a list": lambda m: m.explain([0, 1]) == m.explain(np.array([0, 1])) == m.explain(0, 1),
    "list of two names": lambda m: m.predict_proba([0, 1]) == m.predict_proba((0, 1)),
    "array of two names": lambda m: m.predict_proba(np.array([0, 1])) == m.predict_proba((0, 1)),
    "unpack a link": lambda m: [(u, v) for u, v, p in m.top_links(2)] == [(link.u, link.v) for link in m.top_links(2)],
    "add predicted links": lambda m: nx.Graph(G).add_weighted_edges_from(m.top_links(3)) is None,
    "frame of predicted links": lambda m: list(pandas.DataFrame(m.top_links(3))) == ["u", "v", "probability"],
    "frame of shares": lambda m: len(pandas.Series(m.communities()[0].members)) == len(m.communities()[0]),
    "dict of lists": lambda m: philia.as_graph(nx.to_dict_of_lists(G)).n_links == 78,
    "largest": lambda m: max(m.communities(), key=len) == m.communities()[0],
    "union of all": lambda m: set().union(*m.communities()) == set(G),
    "held out": lambda m: evaluate.evaluate_links(few().fit(G, held_out=0.2)).pairs > 0,
}  # fmt: skip


@pytest.mark.parametrize("snippet", SNIPPETS.values(), ids=SNIPPETS.keys())
def test_what_is_written_from_habit_runs(snippet: Any, fitted: CommunityModel) -> None:
    assert snippet(fitted)


def test_a_plot_at_the_end_of_a_cell_is_a_picture(fitted: CommunityModel) -> None:
    shown: Any = philia.plots.network(fitted)
    assert shown._repr_png_().startswith(b"\x89PNG")


def test_no_result_shows_itself_as_an_address(fitted: CommunityModel) -> None:
    own = copy.deepcopy(fitted)  # its significance changes what it shows
    for one in (own.hierarchy(), own.significance(folds=2), fitted.graph_, fitted.partition(), fitted):
        assert " at 0x" not in repr(one)
        assert "(name=" not in repr(one)


def test_a_fitted_model_says_what_was_found_once(fitted: CommunityModel) -> None:
    assert fitted._repr_html_().count("communities attract") <= 2  # in the box, and in its hidden twin of plain text


def test_a_node_in_the_place_of_a_number_is_pointed_to_its_own(fitted: CommunityModel) -> None:
    with pytest.raises(InvalidParameterError, match=r"count is .Valjean.*node=.Valjean."):
        fitted.top_links("Valjean")  # type: ignore[arg-type]


def test_everything_shows_itself_in_a_notebook(fitted: CommunityModel) -> None:
    shown: list[Any] = [fitted, fitted.graph_, fitted.communities(), fitted.explain(0, 1), fitted.selection_]
    assert all(one._repr_html_().startswith("<") for one in shown)
    hostile = few().fit([("<script>", "b"), ("b", "c"), ("c", "<script>")])
    for one in (hostile.communities(), hostile.explain("<script>", "b")):
        assert "<script>" not in one._repr_html_()


def test_a_name_that_no_community_has_is_refused_with_those_there_are(fitted: CommunityModel) -> None:
    with pytest.raises(InvalidParameterError, match="no community 'B7'; there are B1, B2"):
        fitted.communities()["B7"]


def test_a_pair_of_letters_is_not_taken_for_a_pair(fitted: CommunityModel) -> None:
    with pytest.raises(InvalidParameterError, match="found 'ab'"):
        fitted.predict_proba(["ab"])  # type: ignore[list-item]


def test_cross_validation_and_grid_search_work_on_pairs() -> None:
    data = evaluate.labelled_pairs(planted(80, 2, 0, degree=10, random_state=0), random_state=0)
    folds = KFold(3, shuffle=True, random_state=0)
    found = cross_val_score(data.classifier(few()), data.X, data.y, cv=folds, scoring="roc_auc")
    assert found.min() > 0.5
    search = GridSearchCV(data.classifier(few()), {"model__penalty": [0.1, 10.0]}, cv=folds).fit(data.X, data.y)
    assert search.best_params_["model__penalty"] in (0.1, 10.0)
    assert search.predict(data.X).shape == data.y.shape


def test_a_classifier_of_pairs_does_not_see_those_it_is_tested_on() -> None:
    data = evaluate.labelled_pairs(G, random_state=0)
    train = np.arange(len(data.X)) % 3 > 0
    judged = data.classifier(few()).fit(data.X[train], data.y[train])
    rows, columns = judged.model_.held_out_.pairs(34)
    held = {frozenset(pair) for pair in zip(rows.tolist(), columns.tolist(), strict=True)}
    assert held == {frozenset(pair) for pair in data.X[~train].tolist()}
    assert data.y.sum() == 78
    assert len({tuple(pair) for pair in data.X.tolist()}) == len(data.X) == 156
    assert data.graph.linked(data.X[:, 0], data.X[:, 1]).tolist() == data.y.tolist()


def test_two_moments_of_a_network_are_matched_by_name() -> None:
    def clique(names: list[str]) -> list[Any]:
        return list(nx.complete_graph(names).edges())

    then = few().fit(clique(list("abcdef")) + clique(list("uvwxyz")) + [("a", "u")])
    now = few().fit(clique(list("uvwxyzt")) + clique(list("abcde")) + [("a", "u")])
    moved = philia.compare(then, now)
    by_members = {frozenset(match.shared): match for match in moved}
    assert set(by_members) == {frozenset("abcde"), frozenset("uvwxyz")}
    assert by_members[frozenset("abcde")].left == {"f"}
    assert by_members[frozenset("uvwxyz")].joined == {"t"}
    assert moved.similarity == pytest.approx((5 / 6 + 6 / 7) / 2)
    assert philia.compare(then, now.communities()).matches == moved.matches


ADVICE = {
    "communities()": lambda m: m.communities_,
    "len(model.communities())": lambda m: m.n_communities_,
    "model.features()": lambda m: m.embedding_,
    "model.top_links": lambda m: m.predict([(0, 1)]),
    "philia.plots.network": lambda m: m.plot(),
    "print(model)": lambda m: m.summary(),
    "write_report": lambda m: m.report("page.html"),
    "model.described()": lambda m: m.to_pandas(),
    "model.graph_": lambda m: m.nodes,
    "model.solution_.iterations": lambda m: m.n_iter_,
    "model.solution_.history": lambda m: m.history_,
    "len(community) for": lambda m: m.communities().sizes,
    "communities.as_sets()": lambda m: m.communities().to_dict(),
    "communities.labels()": lambda m: m.communities().membership,
    "len(community) counts": lambda m: m.communities()[0].size,
    "set(community)": lambda m: m.communities()[0].intersection(m.communities()[1]),
    "graph.degrees": lambda m: m.graph_.degree(0),
    "graph.n_nodes": lambda m: m.graph_.number_of_nodes(),
    "philia.read_graph": lambda m: philia.read_csv("links.csv"),
    "philia.as_graph": lambda m: philia.from_networkx(G),
    "CommunityModel().fit": lambda m: philia.fit(G),
    "communities() is what": lambda m: philia.find_communities(G),
    "philia.load(path)": lambda m: philia.load_model("m.safetensors"),
    "model.save(path)": lambda m: philia.save(m, "m.safetensors"),
    "communities.as_sets().items()": lambda m: m.communities().items(),
    "communities.to_cdlib": lambda m: m.communities().newman_girvan_modularity(),
    "graph.has_link": lambda m: m.graph_.has_edge(0, 1),
    "graph.n_links": lambda m: m.graph_.ecount(),
    "graph.adjacency": lambda m: m.graph_.to_scipy(),
    "model.hierarchy()": lambda m: m.dendrogram(),
    "model.factors_": lambda m: m.B_,
    "communities().of(node)": lambda m: m.community_of(0),
    "predict_proba((u, v))": lambda m: m.proba(0, 1),
    "model.score()": lambda m: m.log_likelihood(),
    "model.selection_ says": lambda m: m.bic(),
    "evaluate_links(model)": lambda m: m.evaluate(),
    "model.sample(": lambda m: m.generate(),
    "model.partial_fit(": lambda m: m.add_links([(0, 34)]),
    "model.solution_.converged": lambda m: m.converged_,
    "model.labels_": lambda m: m.labels,
    "communities.to_pandas()": lambda m: m.communities().to_dataframe(),
    "print(communities)": lambda m: m.communities().summary(),
    "shares of a node": lambda m: m.communities().membership_matrix(),
    "list(community)[:5]": lambda m: m.communities()[0].top(5),
    "community.members[node]": lambda m: m.communities()[0].membership(0),
    "pairs of names": lambda m: m.graph_.edge_list(),
    "networkx.connected_components": lambda m: m.graph_.largest_component(),
    "a graph never changes": lambda m: m.graph_.remove_node(0),
    "held_out=0.1": lambda m: philia.train_test_split(G),
    "classic('karate')": lambda m: philia.karate_club(),
    "explanation.table()": lambda m: m.explain(0, 1).to_pandas(),
    "explanation.reasons": lambda m: m.explain(0, 1).contributions,
    "philia.plots.waterfall": lambda m: m.explain(0, 1).plot(),
    "list(hierarchy)": lambda m: m.hierarchy().levels,
    "philia.plots.hierarchy(model)": lambda m: m.hierarchy().plot(),
    "significance.of('B1').z": lambda m: philia.explain.Significance(5, ()).pvalues,  # type: ignore[attr-defined]
    "operators & |": lambda m: m.communities()[0].issubset({1}),
}


@pytest.mark.parametrize("advice", ADVICE)
def test_what_does_not_exist_under_its_habitual_name_is_pointed_out(advice: str, fitted: CommunityModel) -> None:
    with pytest.raises(AttributeError, match=f"has no attribute .*; .*{re.escape(advice)}"):
        ADVICE[advice](fitted)


@pytest.mark.parametrize(
    ("name", "said"),
    [("n_clusters", "use n_homophilous and n_heterophilous"), ("seed", "use random_state"), ("gamma", "it has back")],
)
def test_a_setting_that_does_not_exist_is_answered_with_those_that_do(name: str, said: str) -> None:
    with pytest.raises(TypeError, match=f"CommunityModel has no setting '{name}'; {said}"):
        CommunityModel(**{name: 3})  # type: ignore[arg-type]


def test_one_name_is_not_explained(fitted: CommunityModel) -> None:
    with pytest.raises(InvalidParameterError, match=r"two nodes are needed.*found only 0"):
        fitted.explain(0)


@pytest.mark.parametrize(
    "habits", [graph._HABITS, communities._HABITS, link_model._HABITS], ids=["graph", "communities", "model"]
)
def test_advice_names_only_what_exists(habits: dict[str, str], fitted: CommunityModel) -> None:
    owners = {"model": fitted, "graph": fitted.graph_, "communities": fitted.communities(), "philia": philia}
    for said in habits.values():
        for owner, name in re.findall(r"\b(model|graph|communities|philia)\.(\w+)", said):
            assert hasattr(owners[owner], name), said


def test_a_partition_asked_for_a_node_says_where_its_community_is(fitted: CommunityModel) -> None:
    with pytest.raises(KeyError, match=r"33 is a node, .*model\.communities\(\)\.labels\(\)\[33\]"):
        fitted.partition()[33]  # type: ignore[index]
    with pytest.raises(KeyError, match=r"there is no community 'B7'; there are B1 and B2$"):
        fitted.partition()["B7"]
    assert fitted.partition().get("B7") is None
    assert pickle.loads(pickle.dumps(fitted.partition())) == dict(fitted.partition())


@pytest.mark.parametrize(
    ("room", "name", "advice"),
    [
        (philia.datasets, "load_karate", "classic('karate')"),
        (evaluate, "nmi", "compare_communities(found, known)"),
        (evaluate, "auc", "evaluate_links(model)"),
        (philia.plots, "draw", "plots.network(model)"),
        (philia.plots, "dendrogram", "plots.hierarchy(model)"),
    ],
)
def test_a_room_says_what_it_has_instead(room: Any, name: str, advice: str) -> None:
    with pytest.raises(
        AttributeError, match=f"^module '{room.__name__}' has no attribute '{name}'; {re.escape(advice)}"
    ):
        getattr(room, name)
    with pytest.raises(AttributeError, match=r"has no attribute 'unheard_of'$"):
        getattr(room, "unheard_of")  # noqa: B009  (type checkers know that it is missing)


def test_labels_in_the_order_of_nodes_are_told_how_to_become_groups(fitted: CommunityModel) -> None:
    with pytest.raises(InvalidParameterError, match=r"dict\(zip\(model\.graph_\.nodes, labels\)\)"):
        evaluate.compare_communities(fitted.communities(), fitted.labels_.tolist())
    as_told = dict(zip(fitted.graph_.nodes, fitted.labels_.tolist(), strict=True))
    assert evaluate.compare_communities(fitted.communities(), as_told).f1 == 1


def test_a_name_that_nobody_has_the_habit_of_is_simply_missing(fitted: CommunityModel) -> None:
    with pytest.raises(AttributeError, match=r"'CommunityModel' object has no attribute 'unheard_of'$"):
        getattr(fitted, "unheard_of")  # noqa: B009  (type checkers know that it is missing)


def test_groups_that_philia_did_not_find_are_compared_elsewhere(fitted: CommunityModel) -> None:
    with pytest.raises(InvalidParameterError, match=r"found list, .*compare_communities"):
        philia.compare(fitted, [{0, 1}, {2, 3}])


def test_a_classic_network_is_not_downloaded() -> None:
    with pytest.raises(InvalidParameterError, match=r"call classic\('karate'\)"):
        load("karate")


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        (lambda model: model.predict_proba(0, 33), "model.predict_proba([(u, v), (u, w)])"),
        (lambda model: model.decision_function(0, 33), "model.decision_function([(u, v), (u, w)])"),
        (lambda model: model.top_links(n=5), "model.top_links(5)"),
        (lambda model: model.sample(n_samples=5), "for seed in range(5)"),
        (lambda model: model.stability(n=5), "model.stability(fits=10)"),
        (lambda model: model.hierarchy().cut(k=2), "model.hierarchy().cut(3)"),
        (lambda model: model.fit(G, weight="weight"), "philia.as_graph(G, weights=True)"),
        (lambda _: philia.Graph([(0, 1)]), "philia.as_graph(links)"),  # type: ignore[call-arg]
    ],
)
def test_a_call_with_other_arguments_is_told_what_to_write(fitted: CommunityModel, call: Any, advice: str) -> None:
    with pytest.raises(TypeError, match=re.escape(advice)):
        call(fitted)


def test_an_error_inside_an_advised_call_stays_as_it_is(fitted: CommunityModel) -> None:
    with pytest.raises(TypeError) as caught:
        fitted.predict_proba(5)  # type: ignore[arg-type]
    assert "[(u, v), (u, w)]" not in str(caught.value)
