"""Cards say what the policies' files and results say."""

import re

import pytest

from tools import card

POLICIES = card.ROOT / "policies"

SHIPPED = sorted(path.stem for path in POLICIES.glob("*.onnx") if path.stem in card.NAMES)
"""HIM's, one for each robot; those of compared methods are in the report."""


def test_every_policy_is_in_the_list() -> None:
    listed = re.findall(r"^\| `(.+?)\.onnx`", (POLICIES / "README.md").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(path.stem for path in POLICIES.glob("*.onnx"))
    assert set(card.NAMES) == set(SHIPPED)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_card_is_what_its_results_make_of_it(name: str) -> None:
    page = (POLICIES / f"{name}.md").read_text()
    assert page == card.card(name), f"write it anew: python tools/card.py {name}"


@pytest.mark.parametrize("name", SHIPPED)
def test_the_pictures_of_a_card_are_there(name: str) -> None:
    page = (POLICIES / f"{name}.md").read_text()
    pictures = re.findall(r"!\[.*?\]\((.+?)\)", page)
    assert len(pictures) == 2
    for picture in pictures:
        assert (POLICIES / picture).is_file(), picture


def test_rows_met_are_counted() -> None:
    def line(measured: float, half: float) -> dict[str, float]:
        return {"paper": 0.1, "measured": measured, "half_second": half}

    told = card.tracking([line(0.09, 0.05), line(0.2, 0.1), line(0.125, 0.2), line(0.3, 0.2)], "authors")
    assert "4 tracking rows" in told
    assert "1 are met as defined and 2 with" in told
    assert "; 3 are within" in told
