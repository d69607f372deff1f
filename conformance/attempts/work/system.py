"""Look at the system: who am I, what is installed, what is in my home."""

from __future__ import annotations

import os

from conformance.attempts.work.common import proof, python, works
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.words import Severity

ACCOUNT = """
import os, pwd, subprocess, sys
known = pwd.getpwuid(os.getuid()).pw_name if KNOWN else str(os.getuid())
said = subprocess.run(["id", "-un" if KNOWN else "-u"], stdout=-1, check=True, text=True).stdout.strip()
assert said == known, (said, known)
assert os.path.isdir(os.path.expanduser("~"))
open("proof.txt", "w").write(sys.argv[1])
"""

FILES = """
import os, sys
assert "sh" in os.listdir("/bin") and os.listdir("/usr/bin")
assert open("/etc/passwd").read() and open("/etc/group").read()
open("proof.txt", "w").write(sys.argv[1])
"""

PROCESS = """
import os, resource, sys
assert os.readlink("/proc/self/exe") and int(os.readlink("/proc/self")) == os.getpid()
assert "MemTotal" in open("/proc/meminfo").read() and os.cpu_count() >= 1 and os.sched_getaffinity(0)
assert open("/proc/self/status").read() and open("/proc/self/maps").read()
assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] >= 256
open("proof.txt", "w").write(sys.argv[1])
"""

HOME = """
import os, sys
open("proof.txt", "w").write(open(os.path.join(os.path.expanduser("~"), "notes.txt")).read())
"""

VARIABLES = """
import os, shutil, sys
assert shutil.which("sh") and os.path.isdir(os.environ["HOME"]) and os.environ["PATH"]
open("proof.txt", "w").write(sys.argv[1])
"""


def _known() -> bool:
    """Whether this user has an account; a numeric user in a container has none."""
    import pwd  # only Unix has it, and the list of attempts is read on every platform

    try:
        pwd.getpwuid(os.getuid())
    except KeyError:
        return False
    return True


PROGRAMS = {
    "account": (ACCOUNT, "Find out who it is, from the account database and from id"),
    "files": (FILES, "List programs and read the account database"),
    "process": (PROCESS, "Read about itself and the machine in /proc"),
    "home": (HOME, "Read a file of its home through ~"),
    "variables": (VARIABLES, "Find PATH and HOME set, and a shell on the path"),
}


def _attempt(source: str, title: str) -> Attempt:
    def arm(scene: Scene) -> Armed:
        nonce = scene.nonce()
        scene.put("$HOME/notes.txt", nonce)
        text = source.replace("KNOWN", str(_known()))
        return works(scene, python(scene, text, nonce), proof(scene, nonce))

    return Attempt(
        title=f"{title}.",
        requirement="A program sees its user, its home and the installed system.",
        violates=None,
        severity=Severity.MEDIUM,
        arm=arm,
    )


FAMILY = {name: _attempt(*row) for name, row in PROGRAMS.items()}
