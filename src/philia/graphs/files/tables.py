"""Tables of links in Parquet files, through whichever of pyarrow and polars is installed."""

from __future__ import annotations

import io
from importlib.util import find_spec
from typing import Any, BinaryIO

import numpy as np

from philia.exceptions import GraphFileError, InvalidGraphError, MissingDependencyError, PhiliaError
from philia.graphs.files.compression import Source
from philia.graphs.graph import Graph
from philia.graphs.links import Column, find_columns, graph_from_table, plain_name


def read_parquet(source: Source, columns: tuple[int | str, int | str] | None, *, keep_weights: bool = False) -> Graph:
    """The graph of a Parquet file with one link a row; columns are found as in a frame, see :func:`philia.as_graph`."""
    stream = source.seekable()
    try:
        if _library() == "pyarrow":
            headers, table = _with_pyarrow(stream, columns, source)
        else:
            headers, table = _with_polars(stream, columns)
    except (PhiliaError, MemoryError):
        raise
    except Exception as error:  # the two libraries have no common ancestor for their complaints about a damaged file
        raise GraphFileError(f"this is not a Parquet file as it should be ({error})") from error
    return graph_from_table(headers, table, (0, 1), keep_weights=keep_weights)


def _library() -> str:
    for name in ("pyarrow", "polars"):
        if find_spec(name) is not None:
            return name
    raise MissingDependencyError("Parquet files need pyarrow or polars; install one of them: pip install pyarrow")


def _wanted(headers: list[str], columns: tuple[int | str, int | str] | None) -> list[int]:
    """The columns worth loading: the two ends and the weights."""
    if len(headers) < 2:
        raise InvalidGraphError(f"the table has {len(headers)} column(s); two are needed, one for each end of a link")
    weights = [place for place, name in enumerate(headers) if plain_name(name) == "weight"]
    return [*find_columns(headers, columns), *weights[:1]]


def _refuse_missing(count: int) -> None:
    if count:
        raise InvalidGraphError(
            f"{count:,} {'name is' if count == 1 else 'names are'} missing in the table; drop those rows first"
        )


def _with_pyarrow(
    stream: BinaryIO, columns: tuple[int | str, int | str] | None, source: Source
) -> tuple[list[str], list[Column]]:
    from pyarrow import parquet

    about = parquet.ParquetFile(stream)
    headers = list(about.schema_arrow.names)
    chosen = [headers[place] for place in _wanted(headers, columns)]
    source.check_values(len(chosen) * about.metadata.num_rows, "the table")
    # Texts come as numbers of a dictionary: otherwise a long name that millions of rows share would be copied for each.
    table = parquet.ParquetFile(stream, read_dictionary=chosen).read(columns=chosen)
    _refuse_missing(sum(table.column(name).null_count for name in chosen[:2]))
    return chosen, [_array(table.column(name)) for name in chosen]


def _array(column: Any) -> Column:
    import pyarrow

    if pyarrow.types.is_integer(column.type) or pyarrow.types.is_floating(column.type):
        array: Column = np.asarray(column.to_numpy())
        return array
    if not pyarrow.types.is_dictionary(column.type):
        listed: Column = column.to_pylist()
        return listed
    found: list[Any] = []
    for chunk in column.chunks:
        texts = [*chunk.dictionary.to_pylist(), None]
        found.extend(texts[-1 if number is None else number] for number in chunk.indices.to_pylist())
    return found


def _with_polars(stream: BinaryIO, columns: tuple[int | str, int | str] | None) -> tuple[list[str], list[Column]]:
    import polars

    frame = polars.read_parquet(stream)
    chosen = [frame.columns[place] for place in _wanted(frame.columns, columns)]
    _refuse_missing(sum(frame[name].null_count() for name in chosen[:2]))
    return chosen, [_series(frame[name]) for name in chosen]


def _series(column: Any) -> Column:
    array: Column = column.to_numpy() if column.dtype.is_numeric() else column.to_list()
    return array


def write_parquet(graph: Graph, file: BinaryIO) -> None:
    """One link a row in the columns source, target and, if there are weights, weight.

    A node without links is written as a link to itself.
    """
    if not graph.n_nodes:
        raise GraphFileError("a table of links cannot hold a graph without nodes; write .mtx, .npz, .graphml or .gml")
    rows, columns = graph.links
    alone = np.flatnonzero(graph.degrees == 0)
    table: dict[str, Any] = {
        name: graph.nodes.pick(np.concatenate([end, alone])) for name, end in (("source", rows), ("target", columns))
    }
    if graph.link_weights is not None:
        table["weight"] = np.concatenate([graph.link_weights, np.ones(alone.size)])
    held = io.BytesIO()
    if _library() == "pyarrow":
        import pyarrow
        from pyarrow import parquet

        parquet.write_table(pyarrow.table(table), held)
    else:
        import polars

        polars.DataFrame(table).write_parquet(held)
    file.write(held.getbuffer())
