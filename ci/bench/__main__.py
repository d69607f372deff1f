"""`python3 -m ci bench`: prints one line a ratio. Exit code 0 whether or not an aim is met: a busy machine must not fail a build."""

from __future__ import annotations

import sys

from ci.bench.launch import BENCHES
from conformance.adapters.native import NativeAdapter
from sandbox.host import Host


def main() -> int:
    unavailable = NativeAdapter().availability(Host.detect())
    if unavailable:
        print(f"nothing to measure: {unavailable}", file=sys.stderr)
        return 1
    for bench in BENCHES:
        print(bench(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
