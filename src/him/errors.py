"""The errors a user can act on; the command line prints them as one line and exits with code 2."""


class HimError(Exception):
    """Something the user can put right; the message says what and how."""


class MissingExtraError(HimError):
    """A part of the project was asked for whose optional dependencies are not installed."""

    def __init__(self, module: str, extra: str) -> None:
        super().__init__(f"{module} is not installed; run: pip install 'him[{extra}]'")
