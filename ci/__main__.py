"""`python3 -m ci matrix | test | bench`: makes what is missing, then runs.

This file and everything it imports is standard library only, because it runs before anything is installed. It must also be
*readable* to a Python that is too old, to say so: no new syntax above the version check.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - this is the one place that meets an older Python
    sys.stderr.write(
        "expected Python 3.11 or newer; got %d.%d (%s)\n"  # noqa: UP031
        "next: install a newer Python and start again with it, for example: python3.11 -m ci matrix\n"
        % (sys.version_info[0], sys.version_info[1], sys.executable)
    )
    sys.exit(1)

from ci.main import main

if __name__ == "__main__":
    sys.exit(main())
