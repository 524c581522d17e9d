import numpy as np
from PIL import Image

from him.terrain import Shares, TerrainSettings, grid
from him.view import terrain as view


def test_overview_names_every_kind_and_level_of_the_grid():
    shares = Shares(slope=0.5, rough_slope=0.0, stairs=0.0, obstacles=0.5)
    figure = view.overview(grid(TerrainSettings(shares=shares, columns=2, levels=3, border=0.0)))
    axes = next(axes for axes in figure.axes if axes.get_ylabel() == "level")
    assert [label.get_text() for label in axes.get_yticklabels()] == ["0", "1", "2"]
    assert {text.get_text() for text in axes.texts} == {"slope", "obstacles"}


def test_tiles_are_titled_and_saved(tmp_path):
    figure = view.tiles([[("stairs", 9, 1), ("stairs", 9, -1)], [("waves", 3, 0)]])
    titles = [axes.get_title() for axes in figure.axes if axes.get_title()]
    assert titles == ["stairs up, level 9", "stairs down, level 9", "waves, level 3"]
    view.save(figure, tmp_path / "tiles.png")
    with Image.open(tmp_path / "tiles.png") as picture:
        assert picture.size == (round(2 * 4.6 * 110), round(2 * 3.6 * 110))
        assert len(np.unique(np.asarray(picture))) > 50
