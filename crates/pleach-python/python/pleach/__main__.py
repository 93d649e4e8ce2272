"""`python -m pleach`: commands for terminals."""

from __future__ import annotations

import argparse
import sys

import pleach


def main(arguments: list[str] | None = None) -> int:
    """Runs a command, and returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m pleach", description=pleach.__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("tournament", help="plays trees against trees in the arena, and rates them")
    one.add_argument("trees", nargs="+", help="files, or trees that come with pleach, such as guard.ron")
    one.add_argument("--repeat", type=int, default=100, help="matches for each pair and side (default 100)")
    one.add_argument("--seed", type=int, default=0, help="the seed of all chance (default 0)")
    one.add_argument("--seconds", type=float, default=60.0, help="the longest match (default 60)")
    one.add_argument("--workers", type=int, default=0, help="local workers of Ray; 0 plays in this process (default)")
    one.add_argument("--address", help="a cluster of Ray")
    one.add_argument("--out", help="a folder for the matches: called again, it goes on where it was")
    one.add_argument("--svg", help="a file for a picture of the ratings")
    given = parser.parse_args(arguments)
    try:
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
    except (pleach.PleachError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(result)
    if given.svg:
        result.plot().save(given.svg)
    return 0


if __name__ == "__main__":
    sys.exit(main())
