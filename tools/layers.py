"""Imports go down the layers only. Run it to check `src/him`; it prints what breaks the rule.

It reads the source, so imports inside functions count as well.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "him"
SOURCE = Path(__file__).resolve().parents[1] / "src" / PACKAGE

COMMON = {"errors", "fields"}
"""Single modules that everything may use and that use nothing but each other."""
GROUND = {"robots", "terrain", "policy"}
BELOW_LEARN = GROUND | {"sim", "env"}
BELOW_VIEW = BELOW_LEARN | {"learn", "methods", "deploy", "fake"}

MAY_IMPORT: dict[str, set[str]] = {
    **{module: set() for module in COMMON},
    "robots": set(),
    "terrain": set(),
    "policy": {"robots"},
    "sim": GROUND,
    "env": GROUND | {"sim"},
    "learn": BELOW_LEARN,
    "methods": BELOW_LEARN | {"learn"},
    "deploy": {"robots", "policy"},
    "fake": BELOW_LEARN | {"deploy"},
    "bench": BELOW_VIEW,
    "view": BELOW_VIEW,
    "cli": BELOW_VIEW | {"bench", "view"},
}
"""For each part of the package, the parts it may use besides itself and what is common."""

HEAVY = {"torch", "mujoco", "mujoco_warp", "warp", "numba"}
LIGHT = GROUND | COMMON | {"deploy"}
"""Parts that must work where nothing heavy is installed."""


def violations(source: Path = SOURCE) -> Iterator[str]:
    """One sentence for each import that breaks a rule."""
    for path in sorted(source.rglob("*.py")):
        inside = path.relative_to(source)
        part = inside.with_suffix("").parts[0]
        part = {"__init__": "errors", "__main__": "cli"}.get(part, part)
        for line, module in imports(path, source):
            complaint = _complaint(part, module)
            if complaint:
                yield f"{inside}:{line}: {complaint}"


def imports(path: Path, source: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of everything a file imports, wherever in the file."""
    package = (source.name, *path.relative_to(source).parent.parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parent = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*parent, *([node.module] if node.module else [])))
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and _is_dynamic_import(node):
            yield node.lineno, ast.literal_eval(node.args[0])


def _is_dynamic_import(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    argument = call.args[0] if call.args else None
    literal = isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    return name in ("import_module", "__import__") and literal


def _complaint(part: str, module: str) -> str | None:
    root, _, rest = module.partition(".")
    if root in HEAVY and part in LIGHT:
        return f"{part} must work without {root}"
    target = rest.partition(".")[0]
    if root != PACKAGE or target in (part, *COMMON) or target.startswith("__"):
        return None
    for name in (part, target):
        if name not in MAY_IMPORT:
            return f"{name} has no layer; add it to MAY_IMPORT in tools/layers.py"
    if target not in MAY_IMPORT[part]:
        return f"{part} may not import {PACKAGE}.{target}"
    return None


if __name__ == "__main__":
    found = list(violations())
    print("\n".join(found) or "imports go down the layers")
    sys.exit(bool(found))
