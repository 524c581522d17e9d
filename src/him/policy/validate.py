"""Checks of a policy's contract, each a sentence when it fails."""

import math
from collections.abc import Sequence
from typing import Any

from him.errors import HimError
from him.policy.terms import OBS_TERMS


def version(value: Any, known: int) -> None:
    """Refuse a contract written for another reader."""
    if isinstance(value, bool) or value != known:
        raise HimError(f"the policy's contract has version {value!r}; this release reads version {known}")


def texts(contract: Any, *names: str) -> None:
    """Fields that are text."""
    for name in names:
        if not isinstance(getattr(contract, name), str):
            raise HimError(f"the policy's `{name}` must be text, not {getattr(contract, name)!r}")


def whole_numbers(contract: Any, *names: str) -> None:
    """Fields that are whole numbers, none negative."""
    for name in names:
        value = getattr(contract, name)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise HimError(f"the policy's `{name}` must be a whole number, not {value!r}")


def positive(contract: Any, *names: str) -> None:
    """Fields that are finite numbers above zero."""
    for name in names:
        value = getattr(contract, name)
        if not is_number(value) or value <= 0.0:
            raise HimError(f"the policy's `{name}` must be a number above 0, not {value!r}")


def numbers(values: Any, name: str, count: int, low: float | None = None) -> None:
    """A row of finite numbers, none below `low`."""
    if not isinstance(values, Sequence) or isinstance(values, str) or len(values) != count:
        raise HimError(f"the policy's `{name}` must hold {count} numbers")
    for index, value in enumerate(values):
        if not is_number(value) or (low is not None and value < low):
            raise HimError(f"the policy's `{name}` has {value!r} at place {index}: not a number that fits")


def ranges(pairs: Any, name: str, count: int) -> None:
    """Rows of a lower and an upper bound."""
    if not isinstance(pairs, Sequence) or isinstance(pairs, str) or len(pairs) != count:
        raise HimError(f"the policy's `{name}` must hold {count} pairs of numbers")
    for index, pair in enumerate(pairs):
        numbers(pair, f"{name}[{index}]", 2)
        if pair[0] > pair[1]:
            raise HimError(f"the policy's `{name}` has its bounds crossed at place {index}: {tuple(pair)}")


def joint_order(names: Any, expected: tuple[str, ...]) -> None:
    """The one joint order there is; a policy in another order would move the wrong legs."""
    if not isinstance(names, Sequence) or tuple(names) != expected:
        raise HimError(f"the policy's joints must be in the order {', '.join(expected)}; it has {names!r}")


def inside(positions: Sequence[float], limits: Sequence[Sequence[float]], names: Sequence[str]) -> None:
    """The default pose must lie within the joint limits."""
    for position, (low, high), name in zip(positions, limits, names, strict=True):
        if not low <= position <= high:
            raise HimError(f"the policy's default {name} is {position}, outside its limits {low} to {high}")


def terms(values: Any) -> None:
    """The frame must be the one this release can build; only its scales are the policy's own."""
    if [(term.name, term.size) for term in values] != [(term.name, term.size) for term in OBS_TERMS]:
        known = ", ".join(f"{term.name}({term.size})" for term in OBS_TERMS)
        raise HimError(f"the policy's obs_terms must be {known}, in this order")
    for term in values:
        numbers(term.scale, f"scale of {term.name}", term.size)


def tensors(values: Any, name: str) -> None:
    """Declared inputs or outputs: distinct names and plain shapes."""
    seen = [tensor.name for tensor in values]
    if not values or len(set(seen)) != len(seen):
        raise HimError(f"the policy's `{name}` must be named, each once; it has {seen}")
    for tensor in values:
        plain = isinstance(tensor.shape, tuple) and all(
            isinstance(size, str) or (isinstance(size, int) and size > 0) for size in tensor.shape
        )
        if not isinstance(tensor.name, str) or not plain:
            raise HimError(f"the policy's `{name}` has a tensor without a name or shape: {tensor}")


def is_number(value: Any) -> bool:
    """A finite int or float; booleans are not numbers here."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
