"""Files of every format that is read, and their mutations: of the bytes, and of what lies behind a compression."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars
from scipy import io as scipy_io
from scipy import sparse

from philia.graphs import Graph, as_graph, read_communities, read_graph, write_communities, write_graph
from tests.fuzz.harness import TOKENS, Target, shuffled_bytes

Mutation = Callable[[bytes, np.random.Generator], bytes]

LINKS = [("ann", "bob", 2.5), ("bob", "cat", 1), ("cat", "dan", 0.25), ("dan", "ann", 7), ("New York", "ann", 1e-3)]
NUMBERS = [(u, u + step, 1.0 + u) for u in range(12) for step in (1, 3)]

HOSTILE_NUMBERS = (0, 1, 2, 3, 5, 127, 255, 2**16, 10**6, 2**31 - 1, 2**31, 2**32 - 1, 3 * 10**8, 2**63 - 1, 2**64 - 1)


def check_graph(graph: Graph) -> None:
    """Go through all of a graph that was accepted: a matrix with wild indices would not survive it."""
    matrix = graph.adjacency
    assert matrix.shape == (graph.n_nodes, graph.n_nodes)
    assert int(graph.degrees.sum()) == matrix.nnz == 2 * graph.n_links
    assert np.array_equal(np.asarray(matrix.sum(axis=0)), np.asarray(matrix.sum(axis=1)))
    assert (matrix @ np.ones(graph.n_nodes) == graph.degrees).all()
    rows, columns = graph.links
    assert graph.linked(columns, rows).all()
    if graph.weights is not None:
        assert len(graph.weights) == matrix.nnz
        assert np.isfinite(graph.weights.sum())
        assert graph.weights.min() > 0
    graph.nodes.check_unique()
    if graph.n_nodes:
        busiest = graph.nodes[int(graph.degrees.argmax())]
        assert len(graph.neighbours(busiest)) == graph.degrees.max()
        str(busiest).encode()
    repr(graph)


def _read(path: Path) -> str:
    """Read a file with or without weights, as a directed matrix or not, whichever its size decides."""
    size = path.stat().st_size
    check_graph(read_graph(path, weights=size % 2 == 0, symmetrize=size % 4 > 1))
    return "read"


def _read_communities(path: Path) -> str:
    communities = read_communities(path)
    for name, members in communities.items():
        assert len(set(members)) == len(members)
        str(name).encode()
        "".join(map(str, members)).encode()
    return "read"


def _saved(folder: Path, ending: str) -> list[Path]:
    """What philia writes: text and integers as names, with weights and without."""
    paths = []
    for kind, links in (("text", LINKS), ("integers", NUMBERS)):
        for weights in (False, True):
            path = folder / f"{kind}{'-weighted' if weights else ''}{ending}"
            write_graph(as_graph([link[: 2 + weights] for link in links], weights=weights), path)
            paths.append(path)
    return paths


def _written(folder: Path, contents: Mapping[str, str | bytes]) -> list[Path]:
    paths = []
    for name, content in contents.items():
        path = folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        paths.append(path)
    return paths


def _edge_lists(folder: Path) -> Sequence[Path]:
    own: dict[str, str | bytes] = {
        "quotes.txt": '# by hand\n"New York" "a ""b"""\n\n"New York" c 3\nc d 0.5\n',
        "header.csv": "year,source,target,weight\n1,ann,bob,2\n2,bob,cat,\n",
        "semicolons.txt": "a;b;0,5\r\nb;c;0,7\r\n",
        "utf16.txt": "é 日\n日 c\n".encode("utf-16"),
        "large.txt": "".join(f"{u} {7 * u % 1009} {u % 3}\n" for u in range(300)),
    }
    return [*_saved(folder, ".tsv"), *_saved(folder, ".csv"), *_written(folder, own)]


def _julia(folder: Path) -> Sequence[Path]:
    return _written(folder, {"u.jlg": "5,4,u,g\n1,2\n2,3\n3,5\n1,2\n", "d.jlg": "3,3,d,g\n1,2\n2,1\n3,3\n"})


def _matrix_market(folder: Path) -> Sequence[Path]:
    title = "%%MatrixMarket matrix "
    own = {
        "general.mtx": title + "coordinate real general\n% c\n3 3 4\n1 2 0.5\n2 1 0.5\n2 3 1e-3\n3 2 1e-3\n",
        "integer.mtx": title + "coordinate integer symmetric\n4 4 3\n2 1 3\n3 2 -1\n4 4 2\n",
        "skew.mtx": title + "coordinate pattern skew-symmetric\n3 3 1\n2 1\n",
        "array.mtx": title + "array real general\n2 2\n0\n1\n1\n0\n",
        "half.mtx": title + "array integer symmetric\n3 3\n0\n1\n1\n0\n1\n0\n",
    }
    return [*_saved(folder, ".mtx"), *_written(folder, own)]


def _arrays(folder: Path) -> Sequence[Path]:
    matrix = sparse.coo_array(np.array([[0, 1, 0, 2], [1, 0, 3, 0], [0, 3, 0, 0], [2, 0, 0, 0]], np.float32))
    paths = _saved(folder, ".npz")
    for form in ("csr", "csc", "coo", "bsr", "dia"):
        paths.append(folder / f"{form}.npz")
        sparse.save_npz(paths[-1], matrix.asformat(form), compressed=form in ("csr", "dia"))
    ends = np.array([[0, 1], [1, 2], [5, 5], [4, 2]])
    for name, arrays in {
        "edges.npz": {"edges": ends},
        "counted.npz": {"edges": ends.astype(np.int16), "num_nodes": np.array(7)},
        "labelled.npz": {"edge_index": np.asfortranarray(ends.T), "node_labels": np.arange(6) % 3},
        "features.npz": {"edge_index": ends.T.astype(">i4"), "node_features": np.zeros((6, 3))},
    }.items():
        paths.append(folder / name)
        np.savez(paths[-1], **arrays)  # type: ignore[arg-type]
    return paths


def _matlab(folder: Path) -> Sequence[Path]:
    dense = np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0]])
    contents = {
        "sparse": {"network": sparse.csc_matrix(dense.astype(float))},
        "dense": {"network": dense, "labels": np.ones((3, 2))},
        "small": {"A": dense.astype(np.uint8), "text": "hello", "cell": np.array(["a", 1], object)},
        "logical": {"network": dense > 0, "struct": {"a": 1.5}},
        "sparse-logical": {"network": sparse.csc_matrix(dense > 0)},
    }
    paths = []
    for name, content in contents.items():
        for version, packed in (("5", False), ("5", True), ("4", False)):
            if version == "4" and name not in ("sparse", "dense"):
                continue
            paths.append(folder / f"{name}-{version}{'-packed' if packed else ''}.mat")
            scipy_io.savemat(paths[-1], content, format=version, do_compression=packed)
    return paths


def _gml(folder: Path) -> Sequence[Path]:
    own = {
        "hand.gml": '# by hand\nCreator "me"\ngraph [ directed 1 a [ b [ c 1 ] ]\n'
        'node [ id 1 label "a &#38; &amp; &#x41;" ]\n'
        "node [ id 2.5 value 3 ] edge [ source 1 target 2.5 value 3.5 ] ]"
    }
    return [*_saved(folder, ".gml"), *_written(folder, own)]


def _graphml(folder: Path) -> Sequence[Path]:
    own = {
        "hand.graphml": '<?xml version="1.0" encoding="UTF-8"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        '<key id="d0" for="edge" attr.name="weight" attr.type="double"><default>2.5</default></key>'
        '<graph edgedefault="directed"><node id="1"><data key="name">é</data></node><node id="2"/>'
        '<edge source="1" target="2" directed="false"/><edge source="2" target="1"><data key="d0">4</data></edge>'
        "<!-- end --></graph></graphml>",
    }
    return [*_saved(folder, ".graphml"), *_written(folder, own)]


def _gexf(folder: Path) -> Sequence[Path]:
    return _saved(folder, ".gexf")


def _parquet(folder: Path) -> Sequence[Path]:
    paths = _saved(folder, ".parquet")
    frame = polars.DataFrame({"year": [1, 2], "source": ["a", "b"], "target": ["b", "c"], "weight": [None, 2.0]})
    for packing in ("zstd", "snappy", "uncompressed"):
        paths.append(folder / f"{packing}.parquet")
        frame.write_parquet(paths[-1], compression=packing)
    return paths


def _compressed(folder: Path) -> Sequence[Path]:
    """A little of everything, behind each of the compressions."""
    paths = []
    for ending in (".tsv", ".mtx", ".npz", ".gml", ".graphml", ".gexf", ".parquet"):
        for packing in (".gz", ".bz2", ".xz"):
            paths.extend(_saved(folder, ending + packing)[1:3])
    return paths


def _communities(folder: Path) -> Sequence[Path]:
    own = {
        "lines.txt": "# SNAP\n3\t1\t2\n\n1\t9\n7\n",
        "braces.txt": "{15, 72}\n{'a', 'New York'}\n{\"b, \"\"c\", d}\n{}\n",
        "table.csv": "node,community\nann,red\nbob,blue\nann,blue\n",
        "values.gml": 'graph [ node [ id 0 label "a" value 7 ] node [ id 1 label "b" value 2 ] ]',
    }
    paths = _written(folder, own)
    group = np.array([[1.0, 0, 1], [0, 0, 1], [1, 0, 0]])
    for name, kind in (("dense", np.array), ("sparse", sparse.csc_matrix)):
        paths.append(folder / f"{name}.mat")
        scipy_io.savemat(paths[-1], {"group": kind(group)}, do_compression=name == "dense")
    for name, labels in (("numbers", np.array([2, 0, 2])), ("texts", np.array(["a", "é", "a"]))):
        paths.append(folder / f"{name}.npz")
        np.savez(paths[-1], node_labels=labels)
    for ending in (".csv.gz", ".csv.xz"):
        paths.append(folder / f"written{ending}")
        write_communities({"red": [1, 2], "blue": [2, 3]}, paths[-1])
    return paths


def shuffled_numbers(content: bytes, rng: np.random.Generator) -> bytes:
    """A number written in the text is replaced by one that is hostile."""
    places = list(re.finditer(rb"\d+", content))
    if not places:
        return shuffled_bytes(content, rng)
    found = places[int(rng.integers(len(places)))]
    return (
        content[: found.start()]
        + b"%d" % HOSTILE_NUMBERS[int(rng.integers(len(HOSTILE_NUMBERS)))]
        + content[found.end() :]
    )


def shuffled_words(content: bytes, rng: np.random.Generator) -> bytes:
    """Four or eight bytes, as binary formats keep their sizes, are replaced by a hostile number."""
    if len(content) < 8:
        return shuffled_bytes(content, rng)
    width = int(rng.choice([1, 2, 4, 8]))
    place = int(rng.integers((len(content) - width) // width + 1)) * width
    number: int = HOSTILE_NUMBERS[int(rng.integers(len(HOSTILE_NUMBERS)))] % 2 ** (8 * width)
    return content[:place] + number.to_bytes(width, "little") + content[place + width :]


def shuffled_lines(content: bytes, rng: np.random.Generator) -> bytes:
    """Lines, or the tags of XML, are moved, doubled or lost, or one of the usual troublemakers comes between two."""
    separator = b"<" if content.count(b"<") > 3 else b"\n"
    lines = content.split(separator)
    first, second = (int(place) for place in rng.integers(len(lines), size=2))
    match int(rng.integers(4)):
        case 0:
            lines[first], lines[second] = lines[second], lines[first]
        case 1:
            lines.insert(first, lines[second])
        case 2:
            del lines[first]
        case _:
            lines.insert(first, TOKENS[int(rng.integers(len(TOKENS)))])
    return separator.join(lines)


PLAIN: Sequence[Mutation] = (shuffled_bytes, shuffled_numbers, shuffled_words, shuffled_lines)


def mutate(content: bytes, rng: np.random.Generator) -> bytes:
    """One of the mutations: of the bytes as they are, or, every other time, of what is packed in them."""
    if rng.integers(2):
        if content.startswith(b"PK\x03\x04"):
            return _in_archive(content, rng)
        if content[124:128] in (b"\x00\x01IM", b"\x01\x00MI"):
            return _in_matlab(content, rng)
        for start, unpack, pack in (
            (b"\x1f\x8b", gzip.decompress, gzip.compress),
            (b"BZh", bz2.decompress, bz2.compress),
            (b"\xfd7zXZ\x00", lzma.decompress, lzma.compress),
        ):
            if content.startswith(start):
                return pack(mutate(unpack(content), rng))
    return PLAIN[int(rng.integers(len(PLAIN)))](content, rng)


def _in_archive(content: bytes, rng: np.random.Generator) -> bytes:
    """One array of an .npz file is changed, its header or its values, or two change places; checksums are right."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    names = list(entries)
    first, second = (names[int(place)] for place in rng.integers(len(names), size=2))
    match int(rng.integers(6)):
        case 0:
            entries[first], entries[second] = entries[second], entries[first]
        case 1:
            del entries[first]
        case 2 | 3:  # the header alone
            entries[first] = _one_of_plain(entries[first][:128], rng) + entries[first][128:]
        case _:  # the values alone
            entries[first] = entries[first][:128] + _one_of_plain(entries[first][128:], rng)
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED if rng.integers(2) else zipfile.ZIP_STORED) as archive:
        for name, entry in entries.items():
            archive.writestr(name, entry)
    return held.getvalue()


def _in_matlab(content: bytes, rng: np.random.Generator) -> bytes:
    """The variables of a .mat file are changed behind their compression, if there is one, and packed again."""
    elements, place = [], 128
    while place + 8 <= len(content):
        kind, size = struct.unpack("<II", content[place : place + 8])
        elements.append((kind, content[place + 8 : place + 8 + size]))
        place += 8 + size
    if not elements:
        return shuffled_bytes(content, rng)
    chosen = int(rng.integers(len(elements)))
    kind, element = elements[chosen]
    if kind == 15:
        elements[chosen] = (kind, zlib.compress(_one_of_plain(zlib.decompress(element), rng)))
    else:
        elements[chosen] = (kind, _one_of_plain(element, rng))
    return content[:128] + b"".join(struct.pack("<II", kind, len(element)) + element for kind, element in elements)


def _one_of_plain(content: bytes, rng: np.random.Generator) -> bytes:
    return (shuffled_words if rng.integers(2) else PLAIN[int(rng.integers(len(PLAIN)))])(content, rng)


READERS: dict[str, Target] = {
    name: Target(name, examples, read, mutate)
    for name, examples, read in (
        ("edge lists", _edge_lists, _read),
        ("jlg", _julia, _read),
        ("mtx", _matrix_market, _read),
        ("npz", _arrays, _read),
        ("mat", _matlab, _read),
        ("gml", _gml, _read),
        ("graphml", _graphml, _read),
        ("gexf", _gexf, _read),
        ("parquet", _parquet, _read),
        ("compressed", _compressed, _read),
        ("communities", _communities, _read_communities),
    )
}
