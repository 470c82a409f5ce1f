"""`tilewright check` on planted files, from the command to its exit status."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tilewright import cli

BAD = Path(__file__).parents[1] / "lab" / "planted" / "bad"

pytestmark = pytest.mark.slow


def test_a_missing_guard_and_its_mended_twin_as_a_course(capsys, tmp_path):
    """Each in a process of its own; the line is named, in text, JSON and JUnit XML, and costs its points."""
    (tmp_path / "rubric.toml").write_text(
        '[points]\nright = 40\n"boundary tiles" = 20\n"no race" = 20\n"no out of bounds" = 10\ncoalesced = 10\n'
    )
    files = [BAD / "no_guard_c.cu", BAD / "no_guard_c_mended.cu"]
    broken = tmp_path / "broken.cu"
    broken.write_text("__global__ void mul(float* A, float* B, float* C, int m, int n, int k) { C[0] = nothing; }\n")
    xml = tmp_path / "points.xml"
    arguments = ["check", *map(str, [*files, broken]), "--points", str(tmp_path / "rubric.toml")]

    assert cli.run([*arguments, "--json", "-", "--junit", str(xml)]) == cli.FAILED
    bad, mended, refused = json.loads(capsys.readouterr().out)["files"]
    (line,) = [n for n, text in enumerate(files[0].read_text().splitlines(), 1) if "planted: out of bounds" in text]
    outside = [f for f in bad["kernels"][0]["findings"] if f["kind"] == "out of bounds"]
    assert [finding["place"][1] for finding in outside] == [line]
    assert bad["points"]["total"] < 70
    assert mended["well"]
    assert mended["points"]["total"] == 100
    assert "nothing" in refused["kernels"][0]["refusal"]
    failures = [f.get("message") for f in ElementTree.parse(xml).iter("failure")]  # noqa: S314  (made here)
    assert any(f"no_guard_c.cu:{line}:" in str(message) for message in failures)
