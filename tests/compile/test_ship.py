"""The PTX in the package against a fresh compile of the sources beside it."""

import gzip
import json
import re
import subprocess
import sys

import pytest

from tilewright.compile import nvrtc_version, ship, shipped
from tilewright.compile.ship import fresh_manifest, source_digests, without_comments

HEADER = re.compile(r"^\.(?:version|target|address_size) .*\n", re.MULTILINE)
MANIFEST = json.loads((shipped.FOLDER / ship.MANIFEST).read_text(encoding="utf-8"))
SAME_COMPILER = MANIFEST["nvrtc"] == ".".join(map(str, nvrtc_version()))


def read(name, folder=shipped.FOLDER):
    """A shipped program's text."""
    return gzip.decompress((folder / name).read_bytes()).decode("ascii")


def what_any_compiler_keeps(ptx):
    """What two versions of NVRTC must agree on: parameters, shared arrays, files, and which lines touch memory."""
    lines_of: dict[str, set[int]] = {
        "ld.global": set(),
        "st.global": set(),
        "ld.shared": set(),
        "st.shared": set(),
        "bar.sync": set(),
    }
    line = 0
    for text in ptx.splitlines():
        location = re.match(r"\s*\.loc\s+\d+ (\d+) ", text)
        if location and location[1] != "0":
            line = int(location[1])
        for instruction, lines in lines_of.items():
            if text.lstrip().startswith(instruction):
                lines.add(line)
    return {
        "parameters": re.findall(r"\.param \.\w+", ptx),
        "shared": sorted(re.findall(r"\.shared .*\[\d+\];", ptx)),
        "files": re.findall(r'\.file\s+\d+ "(.*)"', ptx),
        "lines": lines_of,
    }


def test_manifest_knows_the_sources_as_they_are():
    """An edited kernel whose PTX was not shipped again is found, whatever compiler is installed."""
    assert MANIFEST["sources"] == source_digests(), "run `make ship-ptx`"
    assert MANIFEST["options"] == fresh_manifest()["options"], "run `make ship-ptx`"


def test_files_are_exactly_the_usual_tiles():
    """Nothing is missing and nothing is left over."""
    expected = {shipped.file_name(shipped.usual_launch(*variant)) for variant in shipped.shipped_variants()}

    assert {path.name for path in shipped.FOLDER.iterdir()} == expected | {ship.MANIFEST}


@pytest.mark.slow
def test_shipped_programs_equal_a_fresh_compile(record_property, tmp_path):
    """Text for text with the compiler that shipped them; with another, in all that must not depend on it.

    In a process of its own: after hundreds of other programs NVRTC was seen to optimise one of these less.
    """
    record_property("nvrtc", f"shipped by {MANIFEST['nvrtc']}, compared with {nvrtc_version()}")
    ship_there = "import sys, pathlib, tilewright.compile.ship as ship; ship.ship(pathlib.Path(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", ship_there, str(tmp_path / "ptx")], check=True)
    for name in sorted(path.name for path in shipped.FOLDER.glob("*.ptx.gz")):
        fresh = read(name, tmp_path / "ptx")
        if SAME_COMPILER:
            assert HEADER.sub("", read(name)) == HEADER.sub("", fresh), f"{name}: run `make ship-ptx`"
        else:
            assert what_any_compiler_keeps(read(name)) == what_any_compiler_keeps(fresh), f"{name}: run `make ship-ptx`"


def test_comparison_for_another_compiler_sees_a_lost_barrier():
    """The weaker comparison is no empty one: a barrier, a guard's line or a parameter less is seen."""
    ptx = read("matmul_tiled.float32.16.ptx.gz")
    kept = what_any_compiler_keeps(ptx)

    assert all(kept["lines"].values())
    assert what_any_compiler_keeps(re.sub(r"\tbar\.sync.*\n", "", ptx, count=1)) != kept
    assert what_any_compiler_keeps(ptx.replace(".param .u32", "", 1)) != kept
    assert what_any_compiler_keeps(ptx.replace("[1024];", "[512];", 1)) != kept


def test_shipping_twice_writes_the_same_bytes(tmp_path, monkeypatch):
    """No time, name or folder of the machine enters the files; what no longer ships is removed."""
    monkeypatch.setattr(ship, "shipped_variants", lambda: shipped.shipped_variants()[-3:])
    (tmp_path / "old.ptx.gz").write_bytes(b"")
    written = []
    for _ in range(2):
        assert ship.ship(tmp_path) == 3
        written.append({path.name: path.read_bytes() for path in tmp_path.iterdir()})

    assert written[0] == written[1]
    assert "old.ptx.gz" not in written[0]
    assert len(written[0]) == 4


def test_package_holds_these_very_programs():
    """Comments and blank lines are gone from what ships, and nothing else."""
    name = "dot_tiled.float32.1024.ptx.gz"

    assert without_comments(read(name)) == read(name)
    assert "//" not in read(name)
