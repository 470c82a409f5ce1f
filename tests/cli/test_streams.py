"""Standard output and standard error that are closed, full, or read by nobody."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tilewright import cli

COMMAND = [sys.executable, "-m", "tilewright"]


@pytest.mark.skipif(os.name != "posix", reason="there are no signals elsewhere")
def test_a_reader_that_goes_away_is_no_error():
    """`tilewright kernels | head -1` ends in silence."""
    process = subprocess.Popen([*COMMAND, "kernels", "matmul/tiled"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout
    process.stdout.close()
    assert process.stderr
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() in (-signal.SIGPIPE, cli.PASSED)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_output_that_cannot_be_written():
    """A full disk behind stdout is said on stderr."""
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run([*COMMAND, "explain"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)

    assert ended.returncode == cli.REFUSED
    assert "No space left" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.skipif(os.name != "posix", reason="no shell elsewhere closes a stream")
@pytest.mark.parametrize("verb", [["explain"], ["compare", "--device", "host", "--operation", "dot"], []])
def test_a_closed_output_is_a_sentence(verb):
    """Nothing is run whose result nobody can see."""
    command = ["sh", "-c", '"$0" "$@" >&-', *COMMAND, *verb]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)

    assert ended.returncode == cli.REFUSED
    assert ended.stderr == "tilewright: standard output is closed, and results go there; > /dev/null drops them.\n"


@pytest.mark.skipif(os.name != "posix", reason="no shell elsewhere closes a stream")
@pytest.mark.parametrize(("verb", "status"), [("explain", cli.PASSED), ("explane", cli.REFUSED)])
def test_a_closed_error_stream_changes_nothing_else(verb, status, tmp_path):
    """No file that is opened later takes the place of the closed stream."""
    command = ["sh", "-c", '"$0" "$@" 2>&- <&-', *COMMAND, verb]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)

    assert ended.returncode == status
    assert ("matmul/tiled" in ended.stdout) == (status == cli.PASSED)
    assert ended.stderr == ""


@pytest.mark.skipif(os.name != "posix", reason="the signal is taken away, which is not there elsewhere")
@pytest.mark.parametrize("arguments", [["kernels", "matmul/tiled"], ["explain"], ["--help"]])
def test_a_reader_that_goes_away_without_a_signal(arguments):
    """As on Windows: no sentence, and not the status of a wrong result."""
    code = f"import signal, sys; del signal.SIGPIPE; sys.argv[1:] = {arguments}; from tilewright import cli; cli.main()"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout
    process.stdout.close()
    assert process.stderr
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == cli.UNREAD
