"""`python -m pleach`: commands for terminals."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pleach

_ABOUT = "plays trees against trees in the arena, and rates them"


def main(arguments: list[str] | None = None) -> int:
    """`python -m pleach`: runs a command, and returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m pleach", description=(pleach.__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    _options(commands.add_parser("tournament", help=_ABOUT, description=_ABOUT))
    return _tournament(parser.parse_args(arguments))


def tournament(arguments: list[str] | None = None) -> int:
    """`pleach-tournament`: the same as `python -m pleach tournament`."""
    parser = argparse.ArgumentParser(prog="pleach-tournament", description=_ABOUT)
    _options(parser)
    return _tournament(parser.parse_args(arguments))


def _options(one: argparse.ArgumentParser) -> None:
    one.add_argument("trees", nargs="+", help="files, or trees that come with pleach, such as guard.ron")
    one.add_argument("--repeat", type=int, default=100, help="matches for each pair and side (default 100)")
    one.add_argument("--seed", type=int, default=0, help="the seed of all chance (default 0)")
    one.add_argument("--seconds", type=float, default=60.0, help="the longest match (default 60)")
    one.add_argument("--workers", type=int, default=0, help="local workers of Ray; 0 plays in this process (default)")
    one.add_argument("--address", help="a cluster of Ray")
    one.add_argument("--out", help="a folder for the matches: called again, it goes on where it was")
    one.add_argument("--svg", help="a file for a picture of the ratings")


def _tournament(given: argparse.Namespace) -> int:
    try:
        if given.svg:
            _may_write(Path(given.svg))
        result = pleach.tournament(
            given.trees,
            given.repeat,
            given.seed,
            workers=given.workers,
            address=given.address,
            out=given.out,
            progress=sys.stderr.isatty(),
            seconds=given.seconds,
        )
        print(result)
        if given.svg:
            result.plot().save(given.svg)
    except (pleach.PleachError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _may_write(path: Path) -> None:
    """Raises what writing a file would raise, without changing the file."""
    new = not path.exists()
    path.open("a").close()
    if new:
        path.unlink()


if __name__ == "__main__":
    sys.exit(main())
