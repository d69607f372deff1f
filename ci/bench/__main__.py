"""`python3 -m ci bench`: prints one line a ratio. Exit code 0 whether or not an aim is met: a busy machine must not fail a build."""

from __future__ import annotations

import sys
from collections.abc import Callable

from ci.bench.measure import Ratio

BENCHES: tuple[Callable[[], Ratio], ...] = ()


def main() -> int:
    if not BENCHES:
        print("no benchmarks yet", file=sys.stderr)
        return 1
    for bench in BENCHES:
        print(bench(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
