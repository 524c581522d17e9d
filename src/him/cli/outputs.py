"""Results on disk: figures as JSON, and a page that shows them."""

import json
from pathlib import Path
from typing import Any


def keep(stem: Path, result: dict[str, Any], page: str) -> None:
    """Write STEM.json and STEM.md."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    stem.with_name(f"{stem.name}.json").write_text(json.dumps(result, indent=1, allow_nan=False) + "\n")
    stem.with_name(f"{stem.name}.md").write_text(page)
