"""Markdown as the benchmarks write it, read back by an HTML parser."""

from html.parser import HTMLParser
from pathlib import Path

from him.bench import html

PNG = b"\x89PNG made up"

TEXT = """# Title & more

A **bold** word, *another*, `code <x>` and [a link](other.md).

| head | two |
| --- | --- |
| 1 < 2 | **x** |
| a | b |

- first
- second

    him train aliengo

![a picture](deep/a.png)
"""


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.sources: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.opened.append(tag)
        self.sources += [value or "" for name, value in attrs if name == "src"]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_a_page_is_whole_and_holds_its_pictures(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.png").write_bytes(PNG)
    reader = Reader()
    reader.feed(html.page(TEXT, tmp_path, "Title"))
    assert not reader.open, "every tag is closed"
    counts = {
        tag: reader.opened.count(tag) for tag in ("h1", "b", "i", "code", "a", "tr", "th", "td", "li", "pre", "img")
    }
    assert counts == {
        "h1": 1,
        "b": 2,
        "i": 1,
        "code": 1,
        "a": 1,
        "tr": 3,
        "th": 2,
        "td": 4,
        "li": 2,
        "pre": 1,
        "img": 1,
    }
    text = "".join(reader.text)
    for words in ("Title & more", "code <x>", "1 < 2", "him train aliengo"):
        assert words in text
    assert reader.sources == ["data:image/png;base64,iVBORyBtYWRlIHVw"]
