"""The report gathers what lies below a folder."""

import json
from pathlib import Path

from him.bench import report
from tests.bench.measured import record


def test_an_empty_folder_still_says_what_was_not_measured(tmp_path: Path) -> None:
    page = report.markdown(tmp_path)
    assert page.count("**not measured**") == 12
    assert "What was trained" not in page


def test_pages_and_pictures_are_taken_up_in_order(tmp_path: Path) -> None:
    for folder, name in (("tracking", "aliengo"), ("latent", "aliengo"), ("unknown", "x")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{name}.md").write_text(f"# About {folder}\n\ntext\n\n## Part\n\nmore\n")
        (tmp_path / folder / f"{name}.png").write_bytes(b"")
    (tmp_path / "tracking" / "aliengo-more.png").write_bytes(b"")
    page = report.markdown(tmp_path)
    assert "About unknown" not in page
    places = [
        page.index(part)
        for part in (
            "## About tracking",
            "![aliengo](tracking/aliengo.png)",
            "![aliengo-more](tracking/aliengo-more.png)",
            "### Part",
            "## About latent",
            "![aliengo](latent/aliengo.png)",
        )
    ]
    assert places == sorted(places)


def test_rows_above_the_papers_are_listed(tmp_path: Path) -> None:
    made = record(tmp_path / "tracking" / "policies", "him", 1.3)
    assert "above the paper's" not in report.markdown(tmp_path), "met in the half-second definition"
    for name, block in made.blocks.items():
        for row in block.values():
            row["half_second"] = 9.0
        made.add(*name.split(), block)
    (tmp_path / "reasons.json").write_text(json.dumps({"stairs narrow combined linear": "steps are steep"}))
    page = report.markdown(tmp_path)
    assert "### Rows of HIM above the paper's" in page
    (row,) = (line for line in page.splitlines() if line.startswith("| stairs narrow combined linear |"))
    assert row.endswith("| steps are steep |")
    assert page.count("| not known |") == 23


def test_what_was_trained_is_listed_with_its_command(tmp_path: Path) -> None:
    done = {"command": "him train aliengo", "commit": "abcdef0123456789", "samples": 5, "seconds": 345.2}
    runs = {"aliengo-him-0": done | {"done": ["train"]}, "aliengo-rma-0": {"done": []}}
    (tmp_path / "campaign.json").write_text(json.dumps({"runs": runs}))
    page = report.markdown(tmp_path)
    assert "| aliengo-him-0 | 345 s | abcdef012345 | `him train aliengo` |" in page
    assert "aliengo-rma-0" not in page
