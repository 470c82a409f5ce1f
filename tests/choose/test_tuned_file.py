"""What `tilewright tune` keeps on disk: read back as it was, and ignored with a warning where it cannot be trusted."""

from __future__ import annotations

import json
import os
import stat
import warnings
from dataclasses import replace

import pytest

import tilewright
from tilewright.choose import find_chip, tuned_file
from tilewright.choose.tuned_file import (
    TunedFileError,
    all_files,
    file_of,
    read_file,
    read_tuned,
    tuned_of,
    write_tuned,
)
from tilewright.kernels.tuned import Tuned, TunedChoice

FACTS = replace(find_chip("h100"), driver="13.0")
CARD = FACTS.name, FACTS.sm_count, FACTS.driver
KEY = "bfloat16 300x500x400 row/8 row/16 row/16"
TUNED = Tuned({KEY: TunedChoice("matmul/mma_sync", {"block_m": 64, "splits": 2}, 41.2, 47.0)}, {"wgmma": 1.1})


@pytest.fixture
def path(tmp_path, monkeypatch):
    """The card's file in a cache folder of the test's own, which nothing has read."""
    monkeypatch.setenv("TILEWRIGHT_CACHE", str(tmp_path))
    monkeypatch.delenv("TILEWRIGHT_TUNED")
    tuned_file._read_once.cache_clear()
    yield file_of(FACTS.name, FACTS.sm_count)
    tuned_file._read_once.cache_clear()


def test_what_is_written_is_read(path):
    """By a process that sees the card again; nobody else may read or write it."""
    assert tuned_of(FACTS) is None
    write_tuned(path, FACTS, TUNED)
    tuned_file._read_once.cache_clear()

    assert tuned_of(FACTS) == TUNED
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert all_files() == [path]
    found = read_file(path)
    assert found is not None
    assert found.card == CARD
    assert found.version == tilewright.__version__


def test_a_process_reads_it_once(path):
    """Whatever is written later."""
    write_tuned(path, FACTS, TUNED)
    first = tuned_of(FACTS)
    path.unlink()

    assert tuned_of(FACTS) is first


def test_a_variable_turns_it_off(path, monkeypatch):
    """For one process, without deleting anything."""
    write_tuned(path, FACTS, TUNED)
    monkeypatch.setenv("TILEWRIGHT_TUNED", "0")
    assert tuned_of(FACTS) is None
    monkeypatch.setenv("TILEWRIGHT_TUNED", "1")
    assert tuned_of(FACTS) == TUNED


@pytest.mark.parametrize(
    ("card", "said"),
    [
        ((FACTS.name, FACTS.sm_count, "12.8"), "CUDA 13.0 and Tilewright"),
        ((FACTS.name, 114, "13.0"), f"and this is {FACTS.name} (114 SMs), CUDA 13.0"),
        (("Another", FACTS.sm_count, "13.0"), "and this is Another"),
    ],
)
def test_another_card_or_driver_is_told(path, card, said):
    """The sentence names both."""
    write_tuned(path, FACTS, TUNED)
    with pytest.raises(TunedFileError, match="was measured with ") as error:
        read_tuned(path, card)
    assert said in str(error.value)


def test_another_version_is_told(path, monkeypatch):
    """Kernels and models differ between versions."""
    write_tuned(path, FACTS, TUNED)
    monkeypatch.setattr(tilewright, "__version__", "99.0")
    with pytest.raises(TunedFileError, match=r"and this is .* Tilewright 99\.0"):
        read_tuned(path, CARD)


def damaged(change) -> bytes:
    """A file's content with a change."""
    choice = {"product": KEY, "kernel": "matmul/mma_sync", "tile": {"block_m": 64}, "us": 41.2, "model_us": 47.0}
    about = {"chip": CARD[0], "sms": CARD[1], "driver": CARD[2], "tilewright": tilewright.__version__, "date": "2026"}
    content = {"format": 1, **about, "factors": {"wgmma": 1.1}, "products": [choice]}
    change(content)
    return json.dumps(content).encode()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b"[" * 100_000,
        damaged(lambda content: content.pop("products")),
        damaged(lambda content: content.update(format=2)),
        damaged(lambda content: content.update(factors=[1])),
        damaged(lambda content: content["factors"].update(wgmma="fast")),
        damaged(lambda content: content["factors"].update(wgmma=-1)),
        damaged(lambda content: content["factors"].update(wgmma=float("inf"))),
        damaged(lambda content: content["products"][0].pop("us")),
        damaged(lambda content: content["products"][0].update(us=0)),
        damaged(lambda content: content["products"][0].update(model_us=float("nan"))),
        damaged(lambda content: content["products"][0].update(tile=[64])),
        damaged(lambda content: content["products"][0]["tile"].update(block_m="wide")),
        damaged(lambda content: content["products"].append(None)),
    ],
)
def test_a_damaged_file_is_ignored_with_one_warning(path, content):
    """Which says what to do."""
    assert read_back(path, damaged(dict.copy)) is not None
    tuned_file._read_once.cache_clear()
    path.write_bytes(content)
    with pytest.warns(RuntimeWarning, match=r"is damaged, so products are planned without it; run `tilewright tune`"):
        assert tuned_of(FACTS) is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tuned_of(FACTS) is None


def read_back(path, content: bytes) -> Tuned | None:
    """What a file with that content holds."""
    write_tuned(path, FACTS, TUNED)
    path.write_bytes(content)
    return read_tuned(path, CARD)


@pytest.mark.skipif(os.name == "nt", reason="the mode of a file says nothing on Windows")
def test_what_others_may_have_written_is_ignored(path, tmp_path):
    """A file or a folder that others can write to, and a link."""
    write_tuned(path, FACTS, TUNED)
    path.chmod(0o622)
    with pytest.raises(TunedFileError, match="may be written by others"):
        read_tuned(path, CARD)
    path.chmod(0o600)
    path.parent.chmod(0o777)
    with pytest.raises(TunedFileError, match=r"is not read: .* can be written to by others"):
        read_tuned(path, CARD)
    path.parent.chmod(0o700)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(TunedFileError, match="is not read"):
        read_tuned(path, CARD)


def test_a_user_without_a_home_folder_has_none(monkeypatch):
    """And products are planned by the models."""
    monkeypatch.setattr(tuned_file, "file_of", lambda *_: None)
    tuned_file._read_once.cache_clear()
    assert tuned_of(replace(FACTS, name="homeless")) is None


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("NVIDIA H100 80GB HBM3", "nvidia-h100-80gb-hbm3-132-sms.json"),
        ("../../etc/passwd", "etc-passwd-132-sms.json"),
    ],
)
def test_a_cards_name_is_a_files_name(path, name, file):
    """In the folder, whatever it is."""
    assert file_of(name, 132) == path.parent / file
