"""Mutations of the files of run and data folders: bytes and a random generator in, something hostile out."""

from __future__ import annotations

import copy
import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

WHOLE = 10**400
NAMES = ("x", "optimiser/0/step", "optimiser/99/exp_avg", "training/x", "optimiser/a/b/c")  # of a tensor


def mutate_json(value: Any, rng: random.Random) -> Any:
    """The value with one of its parts replaced, left out or doubled."""
    value = copy.deepcopy(value)
    holder, key = value, None
    for _ in range(rng.randint(1, 6)):
        inside = holder if key is None else holder[key]
        if not isinstance(inside, dict | list) or not inside:
            break
        holder = inside
        key = rng.choice(list(holder)) if isinstance(holder, dict) else rng.randrange(len(holder))
    if key is None:
        return rng.choice(VALUES)(rng)
    action = rng.random()
    if action < 0.15:
        del holder[key]
    elif action < 0.25 and isinstance(holder, list):
        holder.append(copy.deepcopy(holder[key]))
    else:
        holder[key] = rng.choice(VALUES)(rng)
    return value


def _nest(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


VALUES: tuple[Callable[[random.Random], Any], ...] = (
    lambda rng: rng.choice([None, True, False, "", "x", [], {}, 0, 1, -1, 2, 0.5]),
    lambda rng: rng.choice([WHOLE, -WHOLE, 10**9, 2**31, 2**63, -(2**63), 10**18]),
    lambda rng: rng.choice([float("nan"), float("inf"), -float("inf"), 1e308]),
    lambda rng: rng.choice(["\ud83d", "\udcff", "\0", "\n", "a\tb", "x" * 10**6, "../../etc/passwd", "none"]),
    lambda rng: _nest(rng.choice([30, 200])),
    lambda rng: [rng.choice(["a", 1, None, [], 0.1])] * rng.choice([1, 3, 10**5]),
    lambda rng: {rng.choice(["a", "x" * 10**5, "\ud83d"]): rng.choice([1, [], {}])},
)


def mutate_bytes(data: bytes, rng: random.Random) -> bytes:
    """The bytes cut, with flipped bits, or with a piece replaced."""
    place = rng.randrange(max(1, len(data)))
    kind = rng.randrange(5)
    if kind == 0:
        return data[:place]
    if kind == 1:
        return data + bytes(rng.randrange(256) for _ in range(9))
    if kind == 2:
        return b"[" * rng.choice([1, 1500, 10**5]) + data
    changed = bytearray(data)
    for _ in range(1 if kind == 3 else 20):
        spot = rng.randrange(min(len(data), 2000)) if rng.random() < 0.5 else rng.randrange(max(1, len(data)))
        if changed:
            changed[min(spot, len(changed) - 1)] = rng.randrange(256)
    return bytes(changed)


def mutate_tensors(data: bytes, rng: random.Random) -> bytes:
    """A safetensors file with one thing of its header, of the state in that, or of its numbers replaced."""
    size = int.from_bytes(data[:8], "little")
    header, body = json.loads(data[8 : 8 + size]), bytearray(data[8 + size :])
    kind = rng.randrange(4)
    names = [name for name in header if name != "__metadata__"]
    if kind == 0 and header.get("__metadata__", {}).get("state"):
        state = mutate_json(json.loads(header["__metadata__"]["state"]), rng)
        header["__metadata__"]["state"] = json.dumps(state)
    elif kind == 1:
        entry = header[rng.choice(names)]
        places = range(entry["data_offsets"][0], entry["data_offsets"][1] - 3, 4)
        if len(places):
            place = rng.choice(places)
            body[place : place + 4] = rng.choice([b"\0\0\xc0\x7f", b"\0\0\x80\x7f", b"\xff\xff\x7f\x7f", b"\0\0\0\0"])
    elif kind == 2:
        name = rng.choice(names)
        entry = header.pop(name)
        entry["dtype"] = rng.choice([entry["dtype"], "F16", "I32", "I64", "BOOL", "U8"])
        entry["shape"] = rng.choice([entry["shape"], entry["shape"][::-1], [10**9, 10**9], [], [0]])
        header[rng.choice([name, *NAMES])] = entry
    else:
        header = mutate_json(header, rng)
    text = json.dumps(header).encode("utf-8", "surrogatepass")
    return len(text).to_bytes(8, "little") + text + bytes(body)


def mutate_file(path: Path, rng: random.Random) -> str:
    """Puts something hostile in the place of a file; says what."""
    if rng.random() < 0.06:
        path.unlink()
        kind = rng.choice(["device", "pipe", "folder", "gone"])
        if kind == "device":
            path.symlink_to("/dev/zero")
        elif kind == "pipe":
            os.mkfifo(path)
        elif kind == "folder":
            path.mkdir()
        return kind
    data = path.read_bytes()
    if path.suffix == ".json" and rng.random() < 0.75:
        text = json.dumps(mutate_json(json.loads(data), rng))
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        return "value"
    if path.suffix == ".safetensors" and rng.random() < 0.75:
        path.write_bytes(mutate_tensors(data, rng))
        return "tensors"
    path.write_bytes(mutate_bytes(data, rng))
    return "bytes"
