"""Changes to the header and the arrays of our safetensors files, with and without a new checksum."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

_BEGINNING = b'{"__metadata__": {"checksum": "'
_MARK = "signed by the fuzzer"

VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1,
    3,
    2**31,
    2**63,
    10**30,
    0.5,
    -0.5,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "auto",
    "n" * 300,
    "\ud800",
    [],
    [1, 2],
    {},
    {"a": 1},
    {"LBFGSB": {"iterations": -3}},
    [[[[[[[[]]]]]]]],
)
"""What may stand in the place of any value of a header."""


def changed_header(content: bytes, rng: np.random.Generator) -> bytes:
    """The file with a value of its header replaced, removed, renamed or moved, or with other arrays.

    Two thirds of the files get a new checksum, and a mark that says so.
    """
    length = int.from_bytes(content[:8], "little")
    table, body = json.loads(content[8 : 8 + length]), content[8 + length :]
    metadata = table["__metadata__"]
    signed = rng.random() < 0.67
    match int(rng.integers(4)):
        case 0:
            body = _other_numbers(body, rng)
        case 1:
            body = _other_arrays(table, body, rng)
        case _:
            header = json.loads(metadata["philia"])
            for _ in range(int(rng.integers(1, 3))):
                changed_value(header, rng)
            metadata["philia"] = json.dumps(header)
    if signed:
        metadata["mark"] = _MARK
    return _written(table, body, sign=signed)


def is_signed(content: bytes) -> bool:
    """Whether a file that was read had been given a new checksum."""
    return _MARK.encode() in content


def changed_value(value: Any, rng: np.random.Generator) -> None:
    """Change something somewhere in a JSON value."""
    while True:
        places: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not places:
            return
        place = places[int(rng.integers(len(places)))]
        inner = value[place]
        if isinstance(inner, (dict, list)) and inner and rng.random() < 0.75:
            value = inner
            continue
        choice = int(rng.integers(6))
        if choice == 0:
            del value[place]
        elif choice == 1 and isinstance(value, dict):
            value[place + "x"] = value.pop(place)
        elif choice == 2 and isinstance(value, dict):
            value["more"] = inner
        elif choice == 3 and isinstance(inner, (int, float)):
            value[place] = inner * float(rng.choice([-1, 0, 0.5, 2, 1e9])) + float(rng.choice([0, 1]))
            if isinstance(inner, int) and rng.random() < 0.5:
                value[place] = int(value[place])
        else:
            value[place] = VALUES[int(rng.integers(len(VALUES)))]
        return


def _other_numbers(body: bytes, rng: np.random.Generator) -> bytes:
    """Some numbers replaced by extreme ones."""
    data = bytearray(body)
    numbers = np.array([np.nan, np.inf, -1.0, 1e308, 5e-324, 0.0])
    whole = np.array([-1, 2**62, 7, 10**6], np.int64)
    for _ in range(int(rng.integers(1, 4))):
        at = 8 * int(rng.integers(max(1, len(data) // 8)))
        data[at : at + 8] = (numbers if rng.random() < 0.6 else whole)[int(rng.integers(4)) :][:1].tobytes()
    return bytes(data[: len(body)])


def _other_arrays(table: dict[str, Any], body: bytes, rng: np.random.Generator) -> bytes:
    """An array of another shape or type, without one, or under another name; safetensors itself still reads it."""
    names = sorted((name for name in table if name != "__metadata__"), key=lambda name: table[name]["data_offsets"])
    name = names[int(rng.integers(len(names)))]
    entry = table[name]
    match int(rng.integers(6)):
        case 0:
            table[name + "x"] = table.pop(name)
        case 1:
            other = names[int(rng.integers(len(names)))]
            table[name], table[other] = table[other], table[name]
        case 2:
            entry["shape"] = entry["shape"][::-1]
        case 3:
            entry["shape"] = [*entry["shape"], 1] if rng.random() < 0.5 else [int(np.prod(entry["shape"]))]
        case 4:
            entry["dtype"] = {"F64": "I64", "I64": "F64", "I32": "F32", "U8": "I8"}.get(entry["dtype"], "F32")
        case _:
            first, last = entry["data_offsets"]
            size = last - first
            rows = entry["shape"][0] if entry["shape"] else 0
            if rows > 1 and size % rows == 0:  # one row less, and all that follows moves
                cut = size // rows
                entry["shape"][0] -= 1
                for other in names:
                    table[other]["data_offsets"] = [
                        offset - cut if offset >= last else offset for offset in table[other]["data_offsets"]
                    ]
                body = body[: last - cut] + body[last:]
    return body


def _written(table: dict[str, Any], body: bytes, *, sign: bool) -> bytes:
    metadata = table.pop("__metadata__")
    checksum = metadata.pop("checksum")
    front = json.dumps({"__metadata__": {"checksum": checksum, **metadata}, **table}).encode()
    front += b" " * (-len(front) % 8)
    before, after = len(front).to_bytes(8, "little") + _BEGINNING, front[len(_BEGINNING) + 32 :]
    if sign:
        checksum = hashlib.blake2b(before + after + body, digest_size=16).hexdigest()
    return before + str(checksum).encode() + after + body
