"""Mutated checkpoint folders: a fit resumes to the same bits, or the folder is refused."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from philia import CommunityModel, as_graph
from philia.fitting import Checkpoint, checkpoint
from philia.fitting.checkpoint import _digest
from philia.models import LinkModel
from philia.solvers import LBFGSB, Adam, Progress
from tests.fuzz.harness import Target, shuffled_bytes
from tests.fuzz.signed_files import changed_header, changed_value

_GRAPH = as_graph([(a, b) for a in range(30) for b in range(a) if (a * b + a) % 7 == 0 or a - b == 1])
_FITS: dict[str, CommunityModel] = {
    "lbfgsb": CommunityModel(2, 1, penalty=1, solver=LBFGSB(12), random_state=0),
    "adam": CommunityModel(2, 1, penalty=1, solver=Adam(6), random_state=0),
    "adam in an epoch": CommunityModel(2, 1, penalty=1, solver=Adam(6), random_state=0),
    "chosen": CommunityModel(n_heterophilous=0, penalty=1, solver=LBFGSB(6), random_state=0),
}
_WHOLE: dict[str, LinkModel] = {}


class _Killed(BaseException):
    pass


def _examples(folder: Path) -> Sequence[Path]:
    packed = []
    for name, model in _FITS.items():
        steps: list[Progress] = []
        _WHOLE[name] = CommunityModel(**model.get_params()).fit(_GRAPH, on_iteration=steps.append)
        left = iter(range(7 if name == "adam in an epoch" else 2 * len(steps) // 3))

        def stop(_: Progress, left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                raise _Killed

        with suppress(_Killed), pytest.MonkeyPatch.context() as patch:
            patch.setattr(checkpoint, "_SHARE", 1e9)  # every evaluation is written, at any cost
            kept = Checkpoint(folder / name, every=0.0)
            CommunityModel(**model.get_params()).fit(_GRAPH, checkpoint=kept, on_iteration=stop)
        files = {path.name: path.read_bytes() for path in sorted((folder / name).iterdir())}
        path = folder / f"{name}.zip"
        path.write_bytes(_packed(files))
        packed.append(path)
    return packed


def _packed(files: dict[str, bytes], signed: bool = False) -> bytes:
    """A folder as one input; the comment says whether a matching checksum was written."""
    told = io.BytesIO()
    with zipfile.ZipFile(told, "w") as folder:
        for name, content in files.items():
            folder.writestr(name, content)
        folder.comment = b"signed" if signed else b""
    return told.getvalue()


def _mutate(content: bytes, rng: np.random.Generator) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as folder:
        files = {name: folder.read(name) for name in folder.namelist()}
    name = list(files)[int(rng.integers(len(files)))] if rng.random() < 0.75 else "fit.json"
    signed = False
    match int(rng.integers(8)):
        case 0:
            del files[name]
        case 1:
            files[str(rng.choice(["records-1.safetensors", "records-00000099.safetensors", "x"]))] = files[name]
        case 2 | 3:
            files[name] = shuffled_bytes(files[name], rng)
        case _ if name == "fit.json":
            about = json.loads(files[name])
            del about["checksum"]
            changed_value(about, rng)
            signed = rng.random() < 0.67
            files[name] = json.dumps({**about, "checksum": _digest(about) if signed else "0" * 32}, indent=1).encode()
        case _:
            files[name] = changed_header(files[name], rng)
            signed = b"signed by the fuzzer" in files[name]
    return _packed(files, signed)


def _read(path: Path) -> str:
    name = path.stem.removeprefix("input-")
    folder = path.with_suffix(".checkpoint")
    shutil.rmtree(folder, ignore_errors=True)
    with zipfile.ZipFile(path) as packed:
        packed.extractall(folder)
        signed = packed.comment == b"signed"
    model = CommunityModel(**_FITS[name].get_params()).fit(_GRAPH, checkpoint=folder)
    whole = _WHOLE[name]
    same = np.array_equal(model.features(), whole.features()) and model.solution_.value == whole.solution_.value
    assert signed or same, "another model"
    assert signed or np.array_equal(model.solution_.history, whole.solution_.history), "another history"
    model.communities()
    model.predict_proba([(0, 1)])
    return "the same" if same else "signed, another model"


TARGET = Target("checkpoints", _examples, _read, _mutate)
