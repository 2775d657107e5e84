"""Parquet: tables of links, read and written by pyarrow or polars, whichever is installed."""

from __future__ import annotations

import io
from importlib.util import find_spec
from typing import Any, BinaryIO

import numpy as np

from philia.exceptions import GraphFileError, InvalidGraphError, MissingDependencyError, PhiliaError
from philia.graphs.described import DescribedGraph
from philia.graphs.graph import Graph
from philia.graphs.links import SAMPLE_ROWS, Column, ends_in_table, graph_from_table, plain_name
from philia.storage import ReadingOptions, Source

_Columns = tuple[int | str, int | str] | None


def read_parquet(source: Source, options: ReadingOptions) -> Graph:
    """The graph of a Parquet file with one link per row, in columns found as :func:`philia.as_graph` finds them."""
    stream = source.seekable()
    try:
        if _library() == "pyarrow":
            headers, table = _with_pyarrow(stream, options.columns, source)
        else:
            headers, table = _with_polars(stream, options.columns)
    except (PhiliaError, MemoryError):
        raise
    except Exception as error:  # the two libraries raise errors of unrelated classes
        raise GraphFileError(f"this is not a valid Parquet file ({error})") from error
    return graph_from_table(headers, table, (0, 1), keep_weights=options.keep_weights)


def _library() -> str:
    for name in ("pyarrow", "polars"):
        if find_spec(name) is not None:
            return name
    raise MissingDependencyError("Parquet files need pyarrow or polars; install one of them: pip install pyarrow")


def _wanted(headers: list[str], sample: list[Column], columns: _Columns) -> list[str]:
    """The names of the columns to load: the two ends and the weights."""
    weights = [column for column, name in enumerate(headers) if plain_name(name) == "weight"]
    return [headers[column] for column in (*ends_in_table(headers, sample, columns), *weights[:1])]


def _refuse_missing(count: int) -> None:
    if count:
        raise InvalidGraphError(
            f"{count:,} {'name is' if count == 1 else 'names are'} missing in the table; drop those rows first"
        )


def _with_pyarrow(stream: BinaryIO, columns: _Columns, source: Source) -> tuple[list[str], list[Column]]:
    from pyarrow import parquet

    about = parquet.ParquetFile(stream)
    headers = list(about.schema_arrow.names)
    source.check_values(min(len(headers), 3) * about.metadata.num_rows, "the table")
    # Text is read as indices into a dictionary: otherwise a long name would be copied for each row that has it.
    table = parquet.ParquetFile(stream, read_dictionary=headers)
    batch = next(table.iter_batches(SAMPLE_ROWS, columns=headers[:3]), None)
    sample: list[Column] = [] if batch is None else [column.to_pylist() for column in batch.columns]
    chosen = _wanted(headers, sample, columns)
    table = table.read(columns=chosen)
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


def _with_polars(stream: BinaryIO, columns: _Columns) -> tuple[list[str], list[Column]]:
    import polars

    frame = polars.read_parquet(stream)
    sample = [column.head(SAMPLE_ROWS).to_list() for column in frame.get_columns()]
    chosen = _wanted(frame.columns, sample, columns)
    _refuse_missing(sum(frame[name].null_count() for name in chosen[:2]))
    return chosen, [_series(frame[name]) for name in chosen]


def _series(column: Any) -> Column:
    array: Column = column.to_numpy() if column.dtype.is_numeric() else column.to_list()
    return array


def write_parquet(described: DescribedGraph, file: BinaryIO) -> None:
    """Write one link per row in the columns source, target and, if there are weights, weight.

    A node without links is written as a self-loop.
    """
    graph = described.graph
    if not graph.n_nodes:
        raise GraphFileError("a table of links cannot hold a graph without nodes; write .mtx, .npz, .graphml or .gml")
    rows, columns = graph.links
    alone = np.flatnonzero(graph.degrees == 0)
    table: dict[str, Any] = {
        name: graph.nodes.pick(np.concatenate([end, alone])) for name, end in (("source", rows), ("target", columns))
    }
    if graph.link_weights is not None:
        table["weight"] = np.concatenate([graph.link_weights, np.ones(alone.size)])
    write_columns(table, file)


def write_columns(table: dict[str, Any], file: BinaryIO) -> None:
    """Write columns of one length, by name."""
    held = io.BytesIO()
    if _library() == "pyarrow":
        import pyarrow
        from pyarrow import parquet

        parquet.write_table(pyarrow.table(table), held)
    else:
        import polars

        polars.DataFrame(table).write_parquet(held)
    file.write(held.getbuffer())
