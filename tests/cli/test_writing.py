"""Files that appear whole: links, devices, permissions, and what is left behind when writing breaks off."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tilewright.cli.refusals import Refusal
from tilewright.cli.writing import check_outputs, check_writable, write_whole
from tilewright.kept.whole_files import is_device


def test_a_new_file_has_the_usual_permissions(tmp_path):
    """Like any file that the user makes, not like a secret."""
    write_whole(tmp_path / "a", lambda file: file.write(b"content"))
    (tmp_path / "b").touch()

    assert (tmp_path / "a").read_bytes() == b"content"
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == stat.S_IMODE((tmp_path / "b").stat().st_mode)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_what_is_replaced_keeps_its_mode(tmp_path, mode):
    """What was nobody else's to read stays so, and what a group reads, too."""
    (tmp_path / "a").touch()
    (tmp_path / "a").chmod(mode)

    write_whole(tmp_path / "a", lambda file: file.write(b"new"))

    assert (tmp_path / "a").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == mode


def test_a_kill_leaves_nothing(tmp_path):
    """What is being written is removed, and what was there stays."""
    (tmp_path / "a").write_text("old")
    program = (
        "import signal, sys, time\nfrom pathlib import Path\nfrom tilewright import cli\n"
        "from tilewright.cli import writing\n"
        "signal.signal(signal.SIGTERM, cli._leave)\n"
        "def write(file): file.write(b'half'); file.flush(); print(flush=True); time.sleep(60)\n"
        "writing.write_whole(Path(sys.argv[1]), write)"
    )
    with subprocess.Popen([sys.executable, "-c", program, tmp_path / "a"], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline()
        assert len(list(tmp_path.iterdir())) == 2
        writer.terminate()
    assert writer.returncode == 128 + signal.SIGTERM
    assert (tmp_path / "a").read_text() == "old"
    assert list(tmp_path.iterdir()) == [tmp_path / "a"]


def test_a_link_that_leads_to_itself_is_refused(tmp_path):
    """And a name as long as a folder takes is none too long to be written beside."""
    (tmp_path / "a").symlink_to("a")
    with pytest.raises(Refusal, match="cannot be written"):
        write_whole(tmp_path / "a", lambda file: file.write(b"new"))
    write_whole(tmp_path / ("b" * 255), lambda file: file.write(b"new"))
    assert (tmp_path / ("b" * 255)).read_bytes() == b"new"


def test_a_link_stays_a_link(tmp_path):
    """The file that it points to is replaced."""
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "target")

    write_whole(tmp_path / "link", lambda file: file.write(b"new"))

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"


def test_what_breaks_off_leaves_nothing(tmp_path):
    """Neither half a file nor the temporary one."""

    def break_off(file):
        file.write(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "a", break_off)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("path", "device"), [("/dev/null", True), ("/dev/stdout", True), (__file__, False), ("/no", False)]
)
def test_a_device_is_written_in_place(path, device):
    """A rename onto /dev/null would put a file in its place."""
    assert is_device(Path(path)) == device


def test_a_read_only_file_is_refused(tmp_path, monkeypatch):
    """A rename would replace it all the same."""
    (tmp_path / "a").touch()
    monkeypatch.setattr(os, "access", lambda path, _: path != tmp_path / "a")

    with pytest.raises(Refusal, match="read-only"):
        check_writable(tmp_path / "a")


def test_two_files_at_one_place_are_refused(tmp_path):
    """By whatever names they go: the second would replace the first."""
    (tmp_path / "a").touch()
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "hard").hardlink_to(tmp_path / "a")
    for first, second in (("new", "new"), ("new", "../" + tmp_path.name + "/new"), ("a", "link"), ("hard", "a")):
        with pytest.raises(Refusal, match="is given for two files"):
            check_outputs([tmp_path / first, tmp_path / second])
    check_outputs([tmp_path / "a", tmp_path / "b"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "hard", "link"]


@pytest.mark.parametrize("write", [lambda file: file.write(b"x" * 10**6), lambda file: file.write(b"x")])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_device_is_named(write):
    """Whether the writing or the closing finds out."""
    with pytest.raises(Refusal, match=r"^/dev/full cannot be written: No space left on device"):
        write_whole(Path("/dev/full"), write)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no /proc")
def test_a_folder_that_takes_no_files_is_found_out_first():
    """Its permissions let root write; trying tells."""
    with pytest.raises(Refusal, match=r"^/proc/x cannot be written"):
        check_writable(Path("/proc/x"))


def test_an_error_that_the_system_does_not_name(tmp_path):
    """NumPy raises an OSError without a number; the file is named all the same."""

    def break_off(_):
        raise OSError("1000 requested and 10 written")

    with pytest.raises(Refusal, match=r"/a cannot be written: 1000 requested and 10 written\.$"):
        write_whole(tmp_path / "a", break_off)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["é.csv", os.fsdecode(b"\xff.csv")])
def test_names_that_the_terminal_cannot_show(tmp_path, name):
    """An ASCII terminal gets escapes."""
    try:
        (tmp_path / name).write_text("1,2\n3,4\n")
    except OSError:
        name = "e.csv"  # a file system that takes no such name
        (tmp_path / name).write_text("1,2\n3,4\n")
    arguments = ["compare", tmp_path / name, tmp_path / name, "--device", "host"]
    ended = subprocess.run(
        [sys.executable, "-m", "tilewright", *arguments],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )

    assert ended.returncode == 0, ended.stderr
    assert b"PASS" in ended.stdout
