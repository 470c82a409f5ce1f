"""Old folders of the emulator's compiled code go, and nothing else."""

from __future__ import annotations

import os

from tilewright.launch import emulator
from tilewright.launch.emulator import keep_recent_folders


def test_the_least_recently_used_folders_go(tmp_path, monkeypatch):
    """Above the limit, but never the one in use, files, links or what has another name."""
    monkeypatch.setattr(emulator, "MOST_FOLDERS", 3)
    base = tmp_path / "emulate"
    names = [f"{number:020x}" for number in range(5)] + [f"{5:020x}-{5:016x}"]
    base.mkdir(mode=0o700)
    for age, name in enumerate(names):
        (base / name / "sub").mkdir(parents=True)
        (base / name / "sub" / "code.nbc").touch()
        os.utime(base / name, (1000 + age,) * 2)
    (base / "own").mkdir()
    (base / "a.txt").touch()
    (tmp_path / "elsewhere").mkdir()
    (base / f"{9:020x}").symlink_to(tmp_path / "elsewhere", target_is_directory=True)

    keep_recent_folders(base / names[0])

    left = {path.name for path in base.iterdir()}
    assert left == {names[0], names[4], names[5], "own", "a.txt", f"{9:020x}"}
    assert (tmp_path / "elsewhere").is_dir()


def test_a_cache_that_is_not_there(tmp_path):
    """Nothing to keep, nothing to say."""
    keep_recent_folders(tmp_path / "nowhere" / "key")

    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_trusted(tmp_path, monkeypatch):
    """Where others can write, or behind a link, nothing is removed: it may lead anywhere."""
    monkeypatch.setattr(emulator, "MOST_FOLDERS", 1)
    base = tmp_path / "emulate"
    names = [f"{number:020x}" for number in range(3)]
    for name in names:
        (base / name).mkdir(parents=True)
    base.chmod(0o777)
    (tmp_path / "link").symlink_to(base, target_is_directory=True)

    keep_recent_folders(base / names[0])
    base.chmod(0o700)
    keep_recent_folders(tmp_path / "link" / names[0])

    assert {path.name for path in base.iterdir()} == set(names)
