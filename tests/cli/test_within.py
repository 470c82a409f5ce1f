"""`--time-limit` and `--memory-limit`: the work ends within them, with status 2 and a sentence."""

import io
import subprocess
import sys

import pytest

from tilewright import cli
from tilewright.cli import within
from tilewright.cli.within import limits_of
from tilewright.lab.limited.messages import Message
from tilewright.lab.limited.task import Parent


def ended(*arguments, cwd):
    """How a command ended; that the emulator is compiled, on a machine that never did, is left out."""
    done = subprocess.run(
        [sys.executable, "-m", "tilewright", *map(str, arguments)], cwd=cwd, capture_output=True, text=True, check=False
    )
    done.stderr = "".join(line for line in done.stderr.splitlines(True) if not line.startswith("Compiling "))
    return done


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("sweep", "matmul/tiled", "--size", "4096", "4096", "4096"), "the sweep"),
        (("report", "--size", "3000", "3000", "3000"), "the report"),
    ],
)
def test_the_clock_ends_a_command(tmp_path, arguments, what):
    """Also one that reads no file of anyone's; nothing is left where its output belongs."""
    found = ended(*arguments, "--time-limit", "1", cwd=tmp_path)

    assert (found.returncode, found.stdout) == (cli.REFUSED, "")
    assert found.stderr == f"tilewright: {what} did not end within 1 seconds.\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["watch", "memories"])
def test_the_clock_ends_the_process_of_a_file(tmp_path, verb):
    """A kernel that never ends; a compiler that is kept busy."""
    (tmp_path / "k.cu").write_text(
        "template <int N> struct T { static const int v = T<N - 1>::v + T<N - 2>::v; };\n"
        "__global__ void k(volatile int* p) { while (p[0] == 0) {} p[1] = T<900>::v; }\n"
        "int main() { k<<<1, 32>>>(0); }\n"
    )
    given = ("--array", "p=32", "--expect", "p=p.npy") if verb == "watch" else ()
    found = ended(verb, "k.cu", "--time-limit", "1", *given[:2], cwd=tmp_path)

    assert (found.returncode, found.stdout) == (cli.REFUSED, "")
    assert "k.cu" in found.stderr
    assert found.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_wrong_kernel_before_the_limit_is_wrong(tmp_path):
    """Status 1 and its findings, although the kernels behind it were not judged; that is said as well."""
    wrong = (
        "(float* a, float* b, float* c, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; c[i] = a[i] + b[i]; }"
    )
    launch = "<<<(n + 31) / 32, 32>>>(a, b, c, n); "
    names = [f"add{number}" for number in range(60)]
    (tmp_path / "k.cu").write_text(
        "".join(f"__global__ void {name}{wrong}\n" for name in names)
        + f"void run(float* a, float* b, float* c, int n) {{ {''.join(name + launch for name in names)} }}\n"
    )
    found = ended("check", "k.cu", "--time-limit", "30", cwd=tmp_path)

    assert found.returncode == cli.FAILED
    assert "k.cu: add0  WRONG" in found.stdout
    assert "The check did not end within 30 seconds; add" in " ".join(found.stdout.split())


@pytest.mark.slow
def test_what_a_command_says_within_limits_is_said(tmp_path):
    """Its output, its files, its status."""
    found = ended("watch", "matmul/tiled", "-o", "w.html", "--time-limit", "600", "--memory-limit", "2G", cwd=tmp_path)

    assert (found.returncode, found.stderr) == (cli.PASSED, "")
    assert found.stdout.startswith("w.html: ")
    assert (tmp_path / "w.html").stat().st_size > 10_000
    wrong = ended("sweep", "matmul/tiled", "--tile", "40", "--time-limit", "600", cwd=tmp_path)
    assert (wrong.returncode, wrong.stdout) == (cli.REFUSED, "")
    assert wrong.stderr.startswith("tilewright: ")


def test_what_is_said_on_the_way_is_told_at_once(monkeypatch):
    """Who waits reads why: that the observers are compiled is no part of the output that comes at the end."""
    told: list[object] = []
    monkeypatch.setattr(within, "_inside", [])
    monkeypatch.setattr(sys, "argv", ["tilewright"])

    class Telling(Parent):
        def tell(self, what: object) -> None:
            told.append(what)

    asked = {"arguments": ["sweep", "matmul/tiled", "--tile", "40"], "columns": 0}
    status, out = within.do_within(Message(asked, {}), Telling(lambda: None, io.BytesIO()))

    assert (status, out) == (cli.REFUSED, "")
    assert "".join(map(str, told)).startswith("tilewright: ")


@pytest.mark.parametrize("arguments", [("check", __file__), ("watch", "matmul/tiled"), ("sweep",), ("report",)])
@pytest.mark.parametrize("size", ["3X", "1M", "-2G", "9999999999999G", ""])
def test_what_is_no_size_is_refused(capsys, arguments, size):
    """Before anything runs."""
    assert cli.run([*arguments, "--memory-limit", size]) == cli.REFUSED
    assert "--memory-limit takes a size such as 2G or 512M, of 64M or more" in capsys.readouterr().err


def test_the_limits_of_a_file():
    """Those given, else 300 s and a share of the machine's memory."""
    assert limits_of(5, "2G").seconds == 5
    assert limits_of(None, "512MiB").memory_bytes == 512 << 20
    assert limits_of(None, None).seconds == 300
    assert limits_of(None, None, 2).memory_bytes <= limits_of(None, None).memory_bytes
