"""A Markdown page as one HTML file with its pictures inside. Knows what the benchmarks' pages use, and nothing more."""

import base64
import html
import re
from collections.abc import Iterator
from pathlib import Path

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; color: #1c2026; }
table { border-collapse: collapse; display: block; overflow-x: auto; font-size: 0.85rem; margin: 1rem 0; }
td, th { border: 1px solid #d4d8de; padding: 0.25rem 0.5rem; text-align: left; vertical-align: top; }
th { background: #f1f3f6; }
img { max-width: 100%; }
pre { background: #f1f3f6; padding: 0.75rem; overflow-x: auto; }
code { font-size: 0.9em; }
"""


def page(text: str, folder: Path, title: str) -> str:
    """The whole file; pictures are looked for in `folder`."""
    body = "\n".join(_block(block, folder) for block in _blocks(text))
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{STYLE}</style>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


def _blocks(text: str) -> Iterator[str]:
    """Parts between empty lines."""
    yield from (block.strip("\n") for block in re.split(r"\n\s*\n", text) if block.strip())


def _block(block: str, folder: Path) -> str:
    lines = block.split("\n")
    if heading := re.match(r"(#+) (.*)", block):
        level = min(len(heading[1]), 6)
        return f"<h{level}>{_inline(heading[2], folder)}</h{level}>"
    if lines[0].startswith("| "):
        return _table(lines, folder)
    if lines[0].startswith("- "):
        return "<ul>" + "".join(f"<li>{_inline(line[2:], folder)}</li>" for line in lines) + "</ul>"
    if lines[0].startswith("    "):
        return f"<pre>{html.escape(chr(10).join(line[4:] for line in lines))}</pre>"
    return f"<p>{_inline(block, folder)}</p>"


def _table(lines: list[str], folder: Path) -> str:
    def row(line: str, tag: str) -> str:
        cells = line.strip("| ").split(" | ")
        return "<tr>" + "".join(f"<{tag}>{_inline(cell, folder)}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(row(line, "td") for line in lines[2:])
    return f"<table><thead>{row(lines[0], 'th')}</thead><tbody>{body}</tbody></table>"


def _inline(text: str, folder: Path) -> str:
    """Pictures, links, bold, italics and code."""

    def picture(found: re.Match[str]) -> str:
        data = base64.b64encode((folder / found[2]).read_bytes()).decode()
        return f'<img alt="{found[1]}" src="data:image/png;base64,{data}">'

    text = html.escape(text, quote=False)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    text = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", text)
    text = re.sub(r"\*([^*]+)\*", r"<i>\1</i>", text)
    text = re.sub(r"!\[([^]]*)\]\(([^)]+)\)", picture, text)
    return re.sub(r"\[([^]]+)\]\(([^)]+)\)", r'<a href="\2">\1</a>', text)
