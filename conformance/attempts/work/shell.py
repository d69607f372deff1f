"""What shell scripts do all day."""

from __future__ import annotations

from collections.abc import Callable

from conformance.attempts.work.common import proof, shell, works
from conformance.core.attempt import Armed, Attempt, Need
from conformance.core.scene import Scene
from conformance.core.steps import run
from conformance.core.words import Severity

SCRIPTS = {
    "pipeline": ("Pass data through a pipeline", "printf '%s\\n' b $1 a | sort | grep -v '^[ab]$' | cat > proof.txt"),
    "here-document": ("Use a here-document", "cat > proof.txt <<END\nline $1\nEND"),
    "subshell": ("Nest subshells and substitutions", "( ( ( echo $(echo $(echo $1)) ) ) ) > proof.txt"),
    "xargs": (
        "Run programs side by side with xargs",
        "printf '%s\\n' x y z | xargs -n 1 -P 3 touch; test -f x -a -f y -a -f z; echo $1 > proof.txt",
    ),
    "background": ("Wait for a background job", "{ sleep 0.05; echo $1 > proof.txt; } & wait $!; test -s proof.txt"),
    "large-output": (
        "Push 1 MiB through a pipe",
        "n=$(head -c 1048576 /dev/zero | tr '\\0' x | tee big.txt | wc -c); test $n -eq 1048576; echo $1 > proof.txt",
    ),
    "exit-codes": (
        "Get exit codes and signals as they were",
        'for n in 0 1 2 126 127 255; do c=0; sh -c "exit $n" || c=$?; test $c -eq $n; done\n'
        'for s in TERM:143 KILL:137 HUP:129; do c=0; sh -c "kill -${s%:*} \\$\\$" || c=$?; test $c -eq ${s#*:}; done\n'
        "c=0; sh -c no-such-program-$1 2>/dev/null || c=$?; test $c -eq 127; echo $1 > proof.txt",
    ),
    "trap": ("Catch a signal", "trap 'echo '$1' > proof.txt' USR1; kill -USR1 $$; test -s proof.txt"),
    "find": (
        "Find and change files",
        "mkdir -p t/u; touch t/a t/u/b; find t -type f -exec sh -c 'echo '$1' > \"$0\"' {} \\;; cat t/u/b > proof.txt",
    ),
    "sed": ("Edit a file in place", "echo OLD > proof.txt; sed -i s/OLD/$1/ proof.txt"),
    "archive": (
        "Pack and unpack an archive",
        "mkdir p q; echo $1 > p/a; tar -cf p.tar p; tar -xf p.tar -C q; cp -p q/p/a proof.txt",
    ),
    "temporary": (
        "Use temporary files",
        "f=$(mktemp); d=$(mktemp -d); echo $1 > $f; mv $f $d/a; cat $d/a > proof.txt; rm -r $d",
    ),
    "temporary-named": (
        "Use the directory that TMPDIR names, or /tmp",
        "f=${TMPDIR:-/tmp}/scene-$1; echo $1 > $f; cat $f > proof.txt; rm $f",
    ),
    "devices": (
        "Use /dev/null, zero, full, urandom, stdin, stdout and fd",
        "echo x > /dev/null; test $(head -c 9 /dev/zero | wc -c) -eq 9; test $(head -c 9 /dev/urandom | wc -c) -eq 9\n"
        "if echo x 2>/dev/null > /dev/full; then exit 1; fi\n"
        "echo $1 | cat /dev/stdin | tee /dev/stdout 3>&1 >/dev/fd/3 | head -n 1 > proof.txt",
    ),
}


def _attempt(title: str, script: str) -> Attempt:
    def arm(scene: Scene) -> Armed:
        nonce = scene.nonce()
        return works(scene, shell(script, nonce), proof(scene, nonce))

    return _made(title, arm)


def _input(scene: Scene) -> Armed:
    nonce = scene.nonce()
    return works(scene, run(("sh", "-c", "cat > proof.txt"), stdin=f"{'x' * 100_000}\n{nonce}\n"), proof(scene, nonce))


def _substitution(scene: Scene) -> Armed:
    nonce = scene.nonce()
    return works(scene, run(("bash", "-ec", "cat <(echo $1) > proof.txt", "bash", nonce)), proof(scene, nonce))


def _made(title: str, arm: Callable[[Scene], Armed], needs: frozenset[Need] = frozenset()) -> Attempt:
    return Attempt(
        title=f"{title}.",
        requirement="Shell scripts run as usual.",
        violates=None,
        severity=Severity.HIGH,
        arm=arm,
        needs=needs,
    )


FAMILY = {name: _attempt(*row) for name, row in SCRIPTS.items()} | {
    "input": _made("Read 100 kB of standard input", _input),
    "process-substitution": _made("Use bash's process substitution", _substitution, frozenset((Need.BASH,))),
}
