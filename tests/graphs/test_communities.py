"""read_communities: the forms of text files, how they are detected, and the other formats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import io as scipy_io
from scipy import sparse

from philia.exceptions import GraphFileError, InvalidParameterError
from philia.graphs import read_communities, write_communities


@pytest.fixture
def read(tmp_path: Path) -> Any:
    """Write text to a file and read it as communities."""

    def write_and_read(text: str, name: str = "communities.txt", **options: Any) -> Any:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return read_communities(tmp_path / name, **options)

    return write_and_read


@pytest.mark.parametrize("gap", ["\t", " ", ",", ", ", ";"])
def test_one_community_per_line(read: Any, gap: str) -> None:
    assert read(f"# SNAP\n3{gap}1{gap}2\n\n1{gap}9\n7\n") == {0: [3, 1, 2], 1: [1, 9], 2: [7]}


def test_repeated_members_are_kept_once(read: Any) -> None:
    assert read("a b a\nc\n") == {0: ["a", "b"], 1: ["c"]}


def test_names_are_integers_only_if_all_of_them_are(read: Any) -> None:
    assert read("1 2 3\n4 x\n") == {0: ["1", "2", "3"], 1: ["4", "x"]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{15, 72}\n{72, 8, 9}\n", {0: [15, 72], 1: [72, 8, 9]}),
        ("{15 72}\n{}\n", {0: [15, 72], 1: []}),
        ("{'a', 'New York'}\n{\"b, c\", d}\n", {0: ["a", "New York"], 1: ["b, c", "d"]}),
        ("{1},\n{2},\n", {0: [1], 1: [2]}),
    ],
)
def test_communities_in_braces(read: Any, text: str, expected: Any) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0\t1\n1\t1\n2\t0\n", {0: [2], 1: [0, 1]}),
        ("node,community\nann,red\nbob,blue\nann,blue\n", {"red": ["ann"], "blue": ["bob", "ann"]}),
        ("id label\n5 1\n6 2\n", {1: [5], 2: [6]}),
        ("who,team\nann,1\nbob,2\n", {1: ["ann"], 2: ["bob"]}),
        ("node,label,note\n1,a,x\n2,a,y\n", {"a": [1, 2]}),
    ],
)
def test_a_table_of_nodes_and_labels(read: Any, text: str, expected: Any) -> None:
    assert read(text) == expected


def test_two_columns_are_a_table_unless_another_form_is_given(read: Any) -> None:
    text = "1 2\n3 4\n"
    assert read(text) == {2: [1], 4: [3]}
    assert read(text, form="lines") == {0: [1, 2], 1: [3, 4]}


def test_a_delimiter_and_a_comment_prefix_can_be_given(read: Any) -> None:
    assert read("! x\na b:c\nd:e f:g\n", delimiter=":", comment="!") == {0: ["a b", "c"], 1: ["d", "e f", "g"]}


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("", {}, "empty or has only comments"),
        ("# x\n", {}, "empty or has only comments"),
        ("1 2\n3\n", {"form": "table"}, r"line 2 \('3'\) is not a node and a label.*form='lines'"),
        ("{1, 2}\n3, 4\n", {}, r"line 2 \('3, 4'\) is not in braces"),
        ("node,label\n", {}, "no rows"),
        ("1 2 3\n4 5 \xff\n", {"encoding": "ascii"}, "not in ascii"),
    ],
)
def test_errors_say_what_is_wrong(read: Any, text: str, options: Any, said: str) -> None:
    with pytest.raises(GraphFileError, match=r"communities\.txt: .*" + said):
        read(text, **options)


def test_an_unknown_form_is_refused(read: Any) -> None:
    with pytest.raises(InvalidParameterError, match="'lines', 'braces' or 'table'"):
        read("1 2\n", form="columns")


@pytest.mark.parametrize("kind", [np.array, sparse.csc_array])
def test_the_groups_of_a_matlab_file(tmp_path: Path, kind: Any) -> None:
    group = np.array([[1.0, 0, 1], [0, 0, 1], [1, 0, 0]])
    scipy_io.savemat(tmp_path / "x.mat", {"group": kind(group), "network": np.zeros((3, 3))})
    assert read_communities(tmp_path / "x.mat") == {0: [0, 2], 1: [], 2: [0, 1]}


def test_the_labels_of_an_array_file(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", node_labels=np.array([2, 0, 2]))
    np.savez(tmp_path / "y.npz", other=np.array([2, 0, 2]))
    assert read_communities(tmp_path / "x.npz") == {0: [1], 2: [0, 2]}
    with pytest.raises(GraphFileError, match="no array 'node_labels' in the file, only 'other'"):
        read_communities(tmp_path / "y.npz")


def test_the_values_of_a_gml_file(read: Any) -> None:
    text = 'graph [ node [ id 0 label "a" value 7 ] node [ id 1 label "b" value 2 ] node [ id 2 label "c" ] ]'
    assert read(text, "x.gml") == {2: ["b"], 7: ["a"]}
    with pytest.raises(GraphFileError, match="no node in the file has a value"):
        read("graph [ node [ id 0 ] ]", "x.gml")


def test_files_without_communities_are_refused(read: Any, tmp_path: Path) -> None:
    with pytest.raises(GraphFileError, match=r"a \.mtx file holds no communities"):
        read("%%MatrixMarket matrix coordinate pattern symmetric\n1 1 0\n", "x.mtx")
    with pytest.raises(GraphFileError, match=r"use the suffix \.txt or \.csv"):
        write_communities([[1]], tmp_path / "x.parquet")
