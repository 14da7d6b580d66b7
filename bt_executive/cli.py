"""The command line; see `bt-executive --help`."""


def main() -> None:
    """Runs the command line."""
