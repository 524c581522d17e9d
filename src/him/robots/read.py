"""From a TOML file to the dataclasses of a robot: every key must be known, present and of the right kind."""

import difflib
import tomllib
import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np

from him.errors import HimError
from him.robots.table import Robot


class RobotError(HimError):
    """A robot's table is wrong; the message names the file, the key and the remedy."""


def read(path: Path) -> Robot:
    """Read one robot; what the numbers mean physically is checked elsewhere."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        reason = f"cannot be read ({error.strerror}); give the path of a robot's TOML file"
        raise RobotError(f"{path}: {reason}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RobotError(f"{path}: is not valid TOML: {error}") from None
    try:
        return _record(Robot, table, "")
    except RobotError as error:
        raise RobotError(f"{path}: {error}") from None


def _record(kind: type, table: Any, where: str) -> Any:
    if not isinstance(table, Mapping):
        raise RobotError(f"{where} must be a table of values, not {table!r}")
    known = {f.name: f for f in fields(kind)}
    for key in table:
        if key not in known:
            raise RobotError(f"unknown key {_join(where, key)}; {_advice(key, list(known))}")
    hints = get_type_hints(kind)
    values = {}
    for name, spec in known.items():
        if name in table:
            values[name] = _value(hints[name], spec, table[name], _join(where, name))
        elif spec.default is MISSING and spec.default_factory is MISSING:
            raise RobotError(f"missing key {_join(where, name)}; add it, docs/robots.md explains it")
    return kind(**values)


def _value(kind: Any, spec: Field[Any], value: Any, where: str) -> Any:
    if isinstance(kind, types.UnionType):
        kind = next(option for option in get_args(kind) if option is not type(None))
    if is_dataclass(kind) and isinstance(kind, type):
        return _record(kind, value, where)
    if "shape" not in spec.metadata:
        return _sequence(kind, value, where) if get_origin(kind) is tuple else _scalar(kind, value, where)
    if get_origin(kind) is dict:
        if not isinstance(value, Mapping):
            raise RobotError(f"{where} must be a table of named values, not {value!r}")
        return {key: _vector(spec.metadata["shape"], item, _join(where, key)) for key, item in value.items()}
    return _vector(spec.metadata["shape"], value, where)


def _sequence(kind: Any, value: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise RobotError(f"{where} must be a list of tables, not {value!r}")
    return tuple(_record(get_args(kind)[0], item, f"{where}[{i}]") for i, item in enumerate(value))


def _scalar(kind: type, value: Any, where: str) -> Any:
    if kind is float and _is_number(value):
        return float(value)
    if kind is not float and isinstance(value, kind):
        return value
    wanted = {float: "a finite number", str: "a text in quotes", bool: "true or false"}[kind]
    raise RobotError(f"{where} must be {wanted}, not {value!r}")


def _vector(shape: tuple[int, ...], value: Any, where: str) -> np.ndarray:
    (count,) = shape
    if not isinstance(value, list) or len(value) != count or not all(map(_is_number, value)):
        raise RobotError(f"{where} must be a list of {count} finite numbers, not {value!r}")
    array = np.array(value, dtype=np.float64)
    array.setflags(write=False)
    return array


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and bool(np.isfinite(value))


def _join(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key


def _advice(key: str, known: list[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1)
    return f"did you mean {near[0]}?" if near else f"known here: {', '.join(known)}"
