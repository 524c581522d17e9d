import pytest

from him.cli.terrain import main
from him.errors import HimError


def test_writes_the_tiles_asked_for(tmp_path, capsys):
    out = tmp_path / "new" / "stairs.png"
    assert main(["--kind", "stairs", "--level", "9", "--out", str(out)]) == 0
    assert out.read_bytes().startswith(b"\x89PNG")
    assert str(out) in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--kind", "ladder"], "choose one of slope"),
        (["--level", "10"], "0 to 9"),
        (["--out", "terrain.jpg"], "ends in .png"),
    ],
)
def test_mistakes_are_explained(tmp_path, monkeypatch, argv, words):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(HimError, match=words):
        main(argv)
    assert not list(tmp_path.iterdir())


def test_an_unwritable_place_is_explained(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(HimError, match="Cannot write"):
        main(["--kind", "flat", "--level", "0", "--out", str(tmp_path / "file" / "a.png")])
