"""Settings back from JSON."""

from dataclasses import fields, is_dataclass
from typing import Any, TypeVar, get_type_hints

from him.errors import HimError

T = TypeVar("T")


def build(cls: type[T], data: dict[str, Any]) -> T:
    """A dataclass from what `asdict` and JSON made of it; names it does not know are refused."""
    unknown = sorted(set(data) - {f.name for f in fields(cls)})  # type: ignore[arg-type]
    if unknown:
        raise HimError(f"{cls.__name__} has no setting {', '.join(unknown)}: the file stems from another version")
    hints = get_type_hints(cls)
    return cls(**{name: _value(hints[name], value) for name, value in data.items()})


def _value(hint: Any, value: Any) -> Any:
    if is_dataclass(hint) and isinstance(hint, type):
        return build(hint, value)
    return tuple(value) if isinstance(value, list) else value
