"""What is known about nodes beside their communities, compared with tests made one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import fisher_exact, mannwhitneyu

from philia import CommunityModel
from philia.datasets import classic
from philia.evaluate import compare_communities
from philia.exceptions import GraphFileError, InvalidParameterError
from philia.report import payload, read_attributes
from philia.report.attributes import Attribute, Attributes
from philia.report.findings import Findings
from philia.report.html import unpacked

KARATE = CommunityModel(2, 0, penalty=1, random_state=0).fit(classic("karate"))
NODES: list[Any] = list(KARATE.graph_.nodes)
SIDES: dict[Any, object] = {node: "left" if node < 17 else "right" for node in NODES if node != 3}
DEGREES: dict[Any, object] = dict(zip(NODES, (KARATE.graph_.degrees / 7 + np.arange(34) / 100).tolist(), strict=True))
GIVEN: dict[str, dict[Any, object]] = {"side": SIDES, "size": DEGREES, "same": dict.fromkeys(NODES, "x")}


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return payload(KARATE, attributes=GIVEN)


def by_hand() -> dict[tuple[int, str], float]:
    """The p of every test that is to be made."""
    p = {}
    for c, community in enumerate(KARATE.communities()):
        known = [node for node in NODES if node in SIDES]
        for side in ("left", "right"):
            table = [
                [sum(SIDES[n] == side and n in community for n in known), sum(SIDES[n] == side for n in known)],
                [sum(n in community for n in known), len(known)],
            ]
            (a, with_value), (size, n) = table
            four = [[a, with_value - a], [size - a, n - with_value - size + a]]
            p[c, side] = fisher_exact(four, alternative="greater").pvalue
        own = [DEGREES[n] for n in NODES if n in community]
        others = [DEGREES[n] for n in NODES if n not in community]
        p[c, "size"] = mannwhitneyu(own, others).pvalue
    return p


def test_tests_are_hypergeometric_or_mann_whitney_and_corrected_by_holm() -> None:
    exact = by_hand()
    order = sorted(exact, key=lambda key: exact[key])
    corrected, so_far = {}, 0.0
    for rank, key in enumerate(order):
        so_far = max(so_far, exact[key] * (len(order) - rank))
        corrected[key] = min(1.0, so_far)
    for test in Attributes.of(GIVEN, KARATE.graph_.nodes).tests(Findings.of(KARATE)):
        key = (test.community, test.value or "size")
        assert test.p == pytest.approx(exact[key])
        assert test.corrected == pytest.approx(corrected[key])


def test_a_community_is_known_by_a_value_that_most_members_have(found: dict[str, Any]) -> None:
    exact = by_hand()
    for c, (card, community) in enumerate(zip(found["communities"], KARATE.communities(), strict=True)):
        shares = {side: np.mean([SIDES.get(n) == side for n in community]) for side in ("left", "right")}
        sure = [side for side in shares if exact[c, side] * 6 < 0.01 and shares[side] >= 0.6]
        assert card["known"] == (f"side: {sure[0]}" if sure else None)
    assert any(card["known"] for card in found["communities"])


def test_the_table_counts_members_with_each_value(found: dict[str, Any]) -> None:
    side, size, same = found["attributes"]["columns"]
    for counts, community in zip(side["counts"], KARATE.communities(), strict=True):
        values = [SIDES.get(n) for n in community]
        assert counts[:2] == [values.count(value) for value in side["values"]]
        assert counts[-1] == values.count(None)
    for quantiles, community in zip(size["counts"], KARATE.communities(), strict=True):
        assert quantiles[2] == pytest.approx(float(np.median([DEGREES[n] for n in community])))
    assert same["counts"] is same["overall"] is None


def test_the_page_has_the_value_of_every_node(found: dict[str, Any]) -> None:
    side, size, _ = found["attributes"]["columns"]
    shown = [None if code == 0 else side["values"][code - 1] for code in unpacked(side["colors"]).tolist()]
    assert shown == [SIDES.get(node) for node in NODES]
    assert unpacked(size["colors"]).tolist() == pytest.approx(list(DEGREES.values()), rel=1e-6)


def test_labels_have_overall_scores_and_are_one_more_attribute() -> None:
    groups = {"a": [0, 1, 2, 3], "b": [30, 31, 32, 33, 3]}
    section = payload(KARATE, labels=groups)["attributes"]
    scores = compare_communities(KARATE.communities(), groups, KARATE.graph_)
    assert section["scores"] == {
        "f1": pytest.approx(scores.f1), "nmi": pytest.approx(scores.nmi_mgh), "omega": pytest.approx(scores.omega),
        "labels": 2,
    }  # fmt: skip
    (label,) = section["columns"]
    codes = unpacked(label["colors"])
    assert label["values"][codes[3] - 1] == "several"
    assert codes[10] == 0


def test_a_file_is_read_by_its_header_and_names_are_matched_as_text(tmp_path: Path) -> None:
    file = tmp_path / "nodes.csv"
    lines = [f"{'left' if n < 17 else 'right'};{n};{n * n}" for n in range(34)]
    file.write_text("\n".join(["side;id;square", *lines, "left;nobody;3"]))
    table = read_attributes(file)
    assert list(table) == ["side", "square"]
    found = payload(KARATE, attributes=table)
    side, square = found["attributes"]["columns"]
    assert (side["known"], square["known"], square["range"]) == (34, 34, [0.0, 33.0**2])
    assert "Not in the graph, so not compared: 1 labeled name." in found["remarks"]


def test_a_table_of_strangers_or_without_columns_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match="no node of the attributes is in the graph"):
        payload(KARATE, attributes={"age": {"zoe": 3}})
    file = tmp_path / "nodes.csv"
    file.write_text("node\nann\n")
    with pytest.raises(InvalidParameterError, match="has 2 lines and 1 columns"):
        read_attributes(file)


def test_a_file_that_is_no_text_in_utf_8_is_refused_with_what_to_do(tmp_path: Path) -> None:
    file = tmp_path / "nodes.csv"
    file.write_bytes("node,city\nJosé,Málaga\n".encode("latin-1"))
    with pytest.raises(GraphFileError, match=r"nodes\.csv: line 2 contains the byte 0xe9, which is not UTF-8"):
        read_attributes(file)
    assert read_attributes(file, encoding="latin-1") == {"city": {"José": "Málaga"}}
    file.write_bytes(b"\x80\0\0\0{}")
    with pytest.raises(GraphFileError, match="this is a binary file"):
        read_attributes(file)
    with pytest.raises(GraphFileError, match=r"there is no file .*node\.csv'; in that folder there is 'nodes\.csv'"):
        read_attributes(tmp_path / "node.csv")
    with pytest.raises(InvalidParameterError, match="'nope' is not a text encoding"):
        read_attributes(file, encoding="nope")


def test_a_frame_of_pandas_is_taken() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"side": pandas.Series(SIDES)}, index=NODES)
    (side,) = payload(KARATE, attributes=frame)["attributes"]["columns"]
    assert side["known"] == 33


@pytest.mark.parametrize(
    ("values", "numbers"), [(list(range(30)), True), ([1, 2] * 15, False), (["1.5", None] * 15, False)]
)
def test_many_different_numbers_are_numbers_and_few_are_categories(values: list[object], numbers: bool) -> None:
    assert (Attribute.of("x", values).numbers is not None) == numbers
