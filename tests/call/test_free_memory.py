"""How much memory is left: the system's, or what a container's limit leaves."""

import pytest

from tilewright.call import free_memory
from tilewright.call.free_memory import free_memory_bytes
from tilewright.choose.quantities import in_words


def test_this_machine_has_some():
    """More than a page and less than an address can reach."""
    free = free_memory_bytes()
    assert free is None or 2**12 < free < 2**57


@pytest.mark.parametrize(
    ("limit", "free"),
    [("8000", 8000 - 5000 + 700), ("max", 4096), ("4000", 0), ("999999999", 4096)],
)
def test_a_container_has_less_than_the_machine(tmp_path, monkeypatch, limit, free):
    """Its limit less its use; cached files that nobody uses give way."""
    for name, text in (
        ("meminfo", "MemTotal: 16 kB\nHugepages\n\nNode: none\nMemAvailable: 4 kB\n"),
        ("limit", limit + "\n"),
        ("used", "5000\n"),
        ("statistics", "active_file 9\ninactive_file 700\n"),
    ):
        (tmp_path / name).write_text(text)
    monkeypatch.setattr("platform.system", lambda: "Linux")
    monkeypatch.setattr(free_memory, "_MEMORY_INFORMATION", tmp_path / "meminfo")
    missing = (tmp_path / "none",) * 3
    group = (tmp_path / "limit", tmp_path / "used", tmp_path / "statistics")
    monkeypatch.setattr(free_memory, "_GROUP_FILES", (group, missing))

    assert free_memory_bytes() == free


def test_a_machine_that_does_not_tell(monkeypatch):
    """Nothing is refused then."""
    monkeypatch.setattr("platform.system", lambda: "Other")
    monkeypatch.delattr("os.sysconf")

    assert free_memory_bytes() is None


@pytest.mark.parametrize(
    ("count_bytes", "words"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (2**20, "1 MiB"), (40_000_000_000, "37.3 GiB"), (2**80, "1,048,576 EiB")],
)
def test_sizes_in_words(count_bytes, words):
    """Three digits and a unit."""
    assert in_words(count_bytes) == words
