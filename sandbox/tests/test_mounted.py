"""The comparison of the kernel's mount table with the plan, on tables written by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.backends.bubblewrap.expected import expected_mounts
from sandbox.backends.plan import Mounted
from sandbox.launch.mounted import Entry, difference, parse
from sandbox.tests.support import quick

RO, RW = frozenset(("ro", "nosuid")), frozenset(("rw", "nosuid"))
HOST = (
    Entry("8:1", "/", "/", RW, "ext4"),
    Entry("8:2", "/", "/home", RW, "ext4"),
    Entry("8:3", "/@sub", "/home/me/work/cache", RW, "btrfs"),
)
WORK, GIT = "/home/me/work", "/home/me/work/.git"
PLAN = (
    Mounted(point="/", type="tmpfs", root="/newroot", read_only=True),
    Mounted(point="/usr", source="/usr", read_only=True, optional=True),
    Mounted(point=WORK, source=WORK),
    Mounted(point=GIT, source=GIT, read_only=True),
)
GOOD = (
    Entry("0:1", "/newroot", "/", RO, "tmpfs"),
    Entry("8:1", "/usr", "/usr", RO, "ext4"),
    Entry("8:2", "/me/work", WORK, RW, "ext4"),
    Entry("8:2", "/me/work/.git", GIT, RO, "ext4"),
)


def test_what_was_planned_passes() -> None:
    assert difference(PLAN, GOOD, HOST) == ""


def test_what_the_host_has_below_a_planned_bind_comes_along() -> None:
    assert difference(PLAN, (*GOOD, HOST[2]), HOST) == ""
    assert "not in the plan" in difference(PLAN, (*GOOD, HOST[1]), HOST)


def test_an_optional_mount_may_be_missing_and_no_other() -> None:
    assert difference(PLAN, (GOOD[0], *GOOD[2:]), HOST) == ""
    assert "is not mounted" in difference(PLAN, GOOD[:3], HOST)
    assert "is not mounted" in difference(PLAN, GOOD[1:], HOST)


@pytest.mark.parametrize(
    "bad",
    [
        Entry("8:2", "/me/outside/.git", GIT, RO, "ext4"),  # through a link
        Entry("8:1", "/me/work/.git", GIT, RO, "ext4"),  # on another device
        Entry("8:2", "/me/work/.git//deleted", GIT, RO, "ext4"),
        Entry("8:2", "/me/work/.git", GIT, RW, "ext4"),
        Entry("8:2", "/me/work/.git", "/home/me/outside", RO, "ext4"),  # at another place
    ],
)
def test_anything_else_at_a_planned_place(bad: Entry) -> None:
    assert difference(PLAN, (*GOOD[:3], bad), HOST)
    assert difference(PLAN, (*GOOD, bad), HOST)


@quick
@given(
    st.builds(
        Entry, st.sampled_from(["8:1", "8:2"]), st.text("/ab.", min_size=1), st.text("/ab", min_size=1), st.just(RW), st.just("ext4")
    )
)
def test_nothing_more_is_tolerated(more: Entry) -> None:
    assert difference(PLAN, (*GOOD, more), HOST) or more in GOOD


def test_a_shown_entry_may_have_been_replaced_meanwhile() -> None:
    assert difference(PLAN, (GOOD[0], Entry("8:1", "/usr//deleted", "/usr", RO, "ext4"), *GOOD[2:]), HOST) == ""


def test_lines_of_the_kernel() -> None:
    line = rb"29 1 8:2 /me\040too /home/a\134b ro,nosuid master:1 shared:2 - ext4 /dev/sda rw"
    assert parse(line) == (Entry("8:2", "/me too", "/home/a\\b", frozenset(("ro", "nosuid")), "ext4"),)
    for torn in (b"29 1 8:2", b"29 1 8:2 / / rw ext4 /dev/sda rw"):
        with pytest.raises(ValueError, match="mountinfo"):
            parse(torn)


def test_the_plan_is_read_off_the_arguments() -> None:
    words = ["--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--perms", "1777", "--tmpfs", "/tmp", "--bind-try", "/a", "/a"]
    found = expected_mounts([*words, "--remount-ro", "/"], lambda path: path, ())
    assert found == (
        Mounted(point="/", type="tmpfs", root="/newroot", read_only=True),
        Mounted(point="/usr", source="/usr", read_only=True),
        Mounted(point="/tmp", type="tmpfs"),
        Mounted(point="/a", source="/a", optional=True),
    )
    with pytest.raises(ValueError, match="unknown option"):
        expected_mounts(["--overlay", "/x"], lambda path: path, ())
