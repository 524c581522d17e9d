"""Methods look the same in every figure and differ from each other."""

from matplotlib.colors import to_rgb

from him.bench.paper import TITLES
from him.methods import METHODS
from him.view import style


def test_every_method_has_a_look_of_its_own() -> None:
    names = [*dict.fromkeys([*TITLES, *METHODS])]
    looks = {(style.colour(name, names), style.dash(name, names)) for name in names}
    assert len(looks) == len(names)


def test_a_known_method_keeps_its_colour_whoever_else_is_there() -> None:
    assert style.colour("rma", ["him", "rma"]) == style.colour("rma", ["him", "regression", "rma", "other"])


def test_colours_are_apart_for_colour_blind_readers() -> None:
    """As a reader without green receptors sees them (Viénot 1999, linear part, sRGB taken as linear)."""
    seen = []
    for code in style.COLOURS:
        r, g, b = to_rgb(code)
        seen.append((0.29275 * r + 0.70725 * g, -0.02234 * r + 0.02234 * g + b))
    apart = [
        max(abs(x - y) for x, y in zip(one, other, strict=True)) for i, one in enumerate(seen) for other in seen[:i]
    ]
    assert min(apart) > 0.05
