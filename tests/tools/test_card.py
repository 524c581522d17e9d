"""Cards say what the policies' files and results say."""

import re
from pathlib import Path

import pytest

from tools import card

SHIPPED = sorted(path.stem for path in (card.ROOT / "policies").glob("*.onnx"))


@pytest.mark.parametrize("name", SHIPPED)
def test_a_card_is_what_its_results_make_of_it(name: str) -> None:
    page = (card.ROOT / "policies" / f"{name}.md").read_text()
    assert page == card.card(name), f"write it anew: python tools/card.py {name}"


@pytest.mark.parametrize("name", SHIPPED)
def test_the_pictures_of_a_card_are_there(name: str) -> None:
    page = (card.ROOT / "policies" / f"{name}.md").read_text()
    pictures = re.findall(r"!\[.*?\]\((.+?)\)", page)
    assert len(pictures) == 2
    for picture in pictures:
        assert (Path(card.ROOT) / "policies" / picture).is_file(), picture


def test_rows_met_are_counted() -> None:
    def line(measured: float, half: float) -> dict[str, float]:
        return {"paper": 0.1, "measured": measured, "half_second": half}

    told = card.tracking([line(0.09, 0.05), line(0.2, 0.1), line(0.125, 0.2), line(0.3, 0.2)], "authors")
    assert "4 tracking rows" in told
    assert "1 are met as defined and 2 with" in told
    assert "; 3 are within" in told
