"""Graphs from adjacency matrices, dense or sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from philia._types import Float64Array
from philia.exceptions import InvalidGraphError
from philia.graphs.graph import Graph
from philia.graphs.links import graph_from_rows
from philia.graphs.nodes import Nodes
from philia.graphs.weights import check_weights
from philia.storage import require_memory

_ROUNDING = 1e-9
"""Relative difference of two weights that counts as rounding: of numbers written with ten digits or more."""

_NODE = 24
"""Bytes of memory per node of a graph without links: its name, and its row in two matrices."""


def graph_from_matrix(
    matrix: Any, *, nodes: Nodes | None = None, symmetrize: bool = False, keep_weights: bool = False
) -> Graph:
    """A graph from a square symmetric matrix whose non-zero entries are the links; entries other than 1 are weights.

    With ``symmetrize`` an entry on either side of the diagonal is enough. Where weights are kept, they have to be
    symmetric too; with ``symmetrize`` the two of a link that differ are added.

    >>> graph_from_matrix(np.array([[0, 2], [2, 1]]))
    Graph(2 nodes, 1 link; 1 self-loop dropped, 1 weight dropped)
    """
    _check_shape(matrix)
    entries = _nonzero(matrix)
    _check_values(entries)
    if not symmetrize:
        _check_symmetric(entries)
        if keep_weights:
            _check_same_weights(entries)
    coo = entries.tocoo()
    names = Nodes.numbered(coo.shape[0]) if nodes is None else nodes
    if len(names) != coo.shape[0]:
        raise InvalidGraphError(
            f"the matrix has {coo.shape[0]:,} rows but there are {len(names):,} names; give one per row"
        )
    names.check_unique()
    weights = coo.data.astype(np.float64)
    return graph_from_entries(coo.row, coo.col, names, weights=weights, keep_weights=keep_weights)


def graph_from_entries(
    rows: npt.NDArray[Any],
    columns: npt.NDArray[Any],
    nodes: Nodes,
    *,
    weights: Float64Array | None = None,
    keep_weights: bool = False,
) -> Graph:
    """A graph from the entries of an adjacency matrix, in which an undirected link appears twice.

    So kept weights are those of the entries if the two directions of every link weigh the same; otherwise the matrix is
    that of a directed graph, and the weights of the two directions are added.

    >>> graph_from_entries(
    ...     np.array([0, 1]), np.array([1, 0]), Nodes("ab"), weights=np.array([3.0, 3.0]), keep_weights=True
    ... ).link_weights
    array([3.])
    """
    if keep_weights:
        weights = np.ones(len(rows)) if weights is None else weights
        check_weights(rows, columns, nodes, weights)
        matrix = sparse.coo_array((weights, (rows, columns)), shape=(len(nodes), len(nodes))).tocsr()
        weights = weights / 2 if _is_mirrored(matrix) else weights
    return graph_from_rows(rows, columns, nodes, directed=True, weights=weights, keep_weights=keep_weights)


def _is_mirrored(matrix: Any) -> bool:
    """Whether a matrix in compressed rows is symmetric, up to rounding.

    >>> _is_mirrored(sparse.csr_array([[0, 2], [2, 0]])), _is_mirrored(sparse.csr_array([[0, 2], [3, 0]]))
    (True, False)
    """
    matrix.sum_duplicates()
    back = matrix.T.tocsr()
    same = all(np.array_equal(getattr(matrix, part), getattr(back, part)) for part in ("indptr", "indices"))
    return same and np.allclose(matrix.data, back.data, rtol=_ROUNDING, atol=0)


def _check_shape(matrix: Any) -> None:
    shape = tuple(matrix.shape)
    if len(shape) != 2 or shape[0] != shape[1]:
        size = " x ".join(f"{length:,}" for length in shape)
        raise InvalidGraphError(
            f"the matrix is {size}; an adjacency matrix is square, with one row and one column per node. "
            "A list of links as an array has two columns and one row per link"
        )
    # Empty rows take memory too, and the size may come from a file header that nobody checked.
    require_memory(_NODE * shape[0], f"a graph of {shape[0]:,} nodes")


def _nonzero(matrix: Any) -> Any:
    """The entries as compressed rows without zeros, in a copy."""
    kind = np.dtype(matrix.dtype).kind
    if kind not in "biuf":
        raise InvalidGraphError(f"the matrix holds {matrix.dtype} values; an adjacency matrix holds zeros and ones")
    if sparse.issparse(matrix):  # checked first: even astype goes through the entries
        matrix = matrix.tocoo() if matrix.format in ("bsr", "dia", "dok", "lil") and is_sound(matrix) else matrix
        if not is_sound(matrix):
            raise InvalidGraphError(
                f"the sparse matrix is damaged: its {matrix.format} arrays point outside a matrix of "
                f"{matrix.shape[0]:,} x {matrix.shape[1]:,}; make it again from its rows and columns"
            )
    computable = np.dtype(np.float64 if kind == "f" and matrix.dtype.itemsize not in (4, 8) else matrix.dtype)
    if sparse.issparse(matrix) and kind in "iu" and computable.itemsize < 8:
        computable = np.dtype(np.int64)  # repeated entries are added, and 255 + 1 is 0 in eight bits
    matrix = matrix.astype(
        computable.newbyteorder("="), copy=False
    )  # scipy supports only these floats and this byte order
    compressed = sparse.csr_array(matrix, copy=True)
    compressed.sum_duplicates()
    compressed.eliminate_zeros()
    return compressed


def is_sound(matrix: Any) -> bool:
    """Whether the indices of a sparse matrix are within its bounds, which scipy's compiled code does not check.

    ``check_format`` is not enough: it trusts ``indptr[-1]``, and checks no entries beyond that.

    >>> is_sound(sparse.csr_array(np.eye(2)))
    True
    """
    rows, columns = matrix.shape
    if matrix.format == "coo":
        ends, size = (matrix.row, matrix.col), len(matrix.data)
        return all(
            end.ndim == 1 and len(end) == size and _within(end, limit)
            for end, limit in zip(ends, matrix.shape, strict=True)
        )
    if matrix.format not in ("csr", "csc", "bsr"):
        return True  # lists, dictionaries or diagonals, whose entries are checked after the conversion to coo
    if matrix.format == "bsr":
        height, width = matrix.blocksize
        if not height or not width or rows % height or columns % width:
            return False
        rows, columns = rows // height, columns // width
    major, minor = (columns, rows) if matrix.format == "csc" else (rows, columns)
    indptr, indices = matrix.indptr, matrix.indices
    return bool(
        indptr.ndim == indices.ndim == 1
        and matrix.data.ndim == (3 if matrix.format == "bsr" else 1)
        and indptr.dtype.kind == "i"
        and len(indptr) == major + 1
        and indptr[0] == 0
        and (indptr[:-1] <= indptr[1:]).all()
        and indptr[-1] <= len(indices)
        and indptr[-1] <= len(matrix.data)
        and _within(indices, minor)
    )


def _within(numbers: npt.NDArray[Any], limit: int) -> bool:
    whole = numbers.dtype.kind in "iu"
    return whole and (not numbers.size or (int(numbers.min()) >= 0 and int(numbers.max()) < limit))


def _check_values(entries: Any) -> None:
    if entries.dtype.kind == "f":
        wrong = ~np.isfinite(entries.data)
        if wrong.any():
            raise InvalidGraphError(
                f"the matrix has {_counted(wrong)} not finite (NaN or infinite), for example "
                f"{_example(entries, wrong)}; "
                "set them to 0 where there is no link"
            )
    if entries.dtype.kind != "b":
        wrong = entries.data < 0
        if wrong.any():
            raise InvalidGraphError(
                f"the matrix has {_counted(wrong)} negative, for example {_example(entries, wrong)}; a link is there "
                "(1) or not (0): set negative entries to 0, or take their absolute value if they are links"
            )


def _check_symmetric(entries: Any) -> None:
    """Both directions of a link must be there; their weights may differ here."""
    mirrored = entries.T.tocsr()
    if all(np.array_equal(getattr(entries, part), getattr(mirrored, part)) for part in ("indptr", "indices")):
        return
    there, back = (matrix.astype(bool) for matrix in (entries, mirrored))
    differing = sparse.triu((there != back).tocsr(), k=1, format="coo")
    row, column = differing.row[0], differing.col[0]
    pairs = "1 pair of nodes" if differing.nnz == 1 else f"{differing.nnz:,} pairs of nodes"
    raise InvalidGraphError(
        f"the matrix is not symmetric: only one of the entries (i, j) and (j, i) is a link for {pairs}, for example "
        f"({row}, {column}) is {entries[row, column]} and ({column}, {row}) is {entries[column, row]}; "
        "an undirected graph is expected. Pass symmetrize=True to take every entry as a link in both directions"
    )


def _check_same_weights(entries: Any) -> None:
    if _is_mirrored(entries):
        return
    differing = abs(entries.astype(np.float64) - entries.T).tocoo()
    worst = int(np.argmax(differing.data))
    row, column = differing.row[worst], differing.col[worst]
    raise InvalidGraphError(
        f"the weights are not symmetric, for example ({row}, {column}) is {entries[row, column]} and "
        f"({column}, {row}) is {entries[column, row]}; a link has one weight. Pass symmetrize=True to add the two, "
        "(matrix + matrix.T) / 2 for their mean, or weights=False"
    )


def _counted(wrong: Any) -> str:
    count = int(np.count_nonzero(wrong))
    return f"{count:,} {'entry that is' if count == 1 else 'entries that are'}"


def _example(entries: Any, wrong: Any) -> str:
    coo = entries.tocoo()
    first = int(np.argmax(wrong))
    return f"{coo.data[first]} at row {coo.row[first]}, column {coo.col[first]}"
