"""Tables in Markdown."""

from collections.abc import Iterable, Sequence


def grid(head: Sequence[str], body: Iterable[Sequence[object]]) -> str:
    """A table with a line under its head."""
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)
