"""What may go wrong while a product streams: nothing that was reported as done is lost, and every end is a sentence."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy
import pytest

import tilewright
from tilewright.arrays.stores.opened import open_path
from tilewright.call.streamed.journal import Journal, folder_of
from tilewright.call.streamed.lock import locked
from tilewright.call.streamed.product import run_streamed
from tilewright.call.streamed.request import check_streamed

ROOT = Path(__file__).parents[3]
LIMIT = 200_000


@pytest.fixture
def files(tmp_path):
    """A, B and a poisoned C as .npy files, and the bits of the right answer with this limit."""
    generator = numpy.random.default_rng()
    a, b = generator.standard_normal((300, 200), dtype="f4"), generator.standard_normal((200, 260), dtype="f4")
    numpy.save(tmp_path / "a.npy", a)
    numpy.save(tmp_path / "b.npy", b)
    numpy.save(tmp_path / "c.npy", numpy.full((300, 260), numpy.nan, "f4"))
    numpy.save(tmp_path / "whole.npy", numpy.full((300, 260), numpy.nan, "f4"))
    a_file, b_file, out = opened(tmp_path, "a", "b", "whole")
    tilewright.matmul(a_file, b_file, out, memory_limit=LIMIT, device="host")
    expected = numpy.load(tmp_path / "whole.npy")
    assert numpy.abs(expected - a.astype("f8") @ b).max() < 1e-3
    return tmp_path, expected


def opened(folder, *names):
    """Memory maps of the files; the last may be written."""
    return [numpy.load(folder / f"{name}.npy", mmap_mode="r+" if name == names[-1] else "r") for name in names]


def asked_for(folder, **wrong):
    """A checked product of the files; ``wrong`` replaces methods of the output's store."""
    a, b, c = opened(folder, "a", "b", "c")
    asked = check_streamed("matmul", a, b, c, {})
    for name, value in wrong.items():
        setattr(asked.out, name, value)
    return asked


def child(folder, *words):
    """The command of a product of the files in a process of its own."""
    paths = [str(folder / f"{name}.npy") for name in "abc"]
    return [sys.executable, "-m", "tests.call.streamed.streamed_child", *paths, str(LIMIT), *words]


def whole_tiles(folder):
    """The tiles that the journal has."""
    return Journal(place_of_journal(open_path(folder / "c.npy", "C"))).read()[1]


def place_of_journal(out):
    """Where it lies."""
    found = folder_of(out)
    assert found is not None
    return found


@pytest.mark.parametrize("failing", [1, 3])
def test_a_full_disk_is_a_sentence_and_continues(files, failing):
    """Tiles before it are kept, those after it are computed by the next run: the same bits."""
    folder, expected = files
    asked = asked_for(folder)
    put, count = asked.out._put, [0]

    def full(at, part):
        count[0] += 1
        if count[0] > 40 * failing:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        put(at, part)

    asked.out._put = full
    with pytest.raises(
        tilewright.StoreError, match=r"c\.npy\) cannot be written in rows .*: No space left on device\.$"
    ):
        run_streamed(asked, LIMIT, device="host")
    kept = len(whole_tiles(folder))
    timing = run_streamed(asked_for(folder), LIMIT, resume=True, device="host")

    assert timing.tiles_kept == kept
    assert timing.tiles > 0
    numpy.testing.assert_array_equal(numpy.load(folder / "c.npy"), expected)


@pytest.mark.slow
def test_a_file_that_may_not_grow_ends_with_a_sentence(files):
    """The system's own refusal, in a process of its own: no signal, status 1 with our error, and it continues."""
    folder, expected = files
    (folder / "c.npy").unlink()
    made = numpy.lib.format.open_memmap(folder / "c.npy", "w+", "f4", (300, 260))
    del made
    done = subprocess.run(child(folder, "file=100000"), capture_output=True, text=True, cwd=ROOT, check=False)

    assert done.returncode == 1
    assert "StoreError" in done.stderr
    assert "File too large" in done.stderr
    subprocess.run(child(folder, "resume"), check=True, cwd=ROOT, capture_output=True)
    numpy.testing.assert_array_equal(numpy.load(folder / "c.npy"), expected)


def test_what_failed_to_reach_the_disk_is_not_said_to_be_done(files):
    """An fsync that fails: no line in the journal for that tile."""
    folder, _ = files

    def broken(*_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with pytest.raises(tilewright.StoreError, match="Input/output error"):
        run_streamed(asked_for(folder, _flush=broken), LIMIT, device="host")
    assert whole_tiles(folder) == {}


def test_two_writers_are_refused(files):
    """The second gets a sentence, and the lock is free when the first has ended."""
    folder, _ = files
    asked = asked_for(folder)
    with (
        locked(place_of_journal(asked.out), "out"),
        pytest.raises(tilewright.StoreError, match="being written by another process"),
    ):
        run_streamed(asked, LIMIT, device="host")
    run_streamed(asked_for(folder), LIMIT, device="host")


def test_a_damaged_tile_is_computed_again(files):
    """A finished run, a flipped bit: the checksum tells, and one tile is made anew."""
    folder, expected = files
    run_streamed(asked_for(folder), LIMIT, device="host")
    with (folder / "c.npy").open("r+b") as file:
        file.seek(50_000)
        byte = file.read(1)
        file.seek(50_000)
        file.write(bytes([byte[0] ^ 1]))

    timing = run_streamed(asked_for(folder), LIMIT, resume=True, device="host")

    assert timing.tiles == 1
    numpy.testing.assert_array_equal(numpy.load(folder / "c.npy"), expected)
    assert run_streamed(asked_for(folder), LIMIT, resume=True, device="host").tiles == 0


def test_a_run_of_other_inputs_is_not_continued(files):
    """A changed file is another input; leaving resume out begins anew."""
    folder, _ = files
    run_streamed(asked_for(folder), LIMIT, device="host")
    changed = numpy.load(folder / "a.npy") + 1
    numpy.save(folder / "a.npy", changed)
    with pytest.raises(tilewright.PlanError, match="begun with another A, or A has changed since"):
        run_streamed(asked_for(folder), LIMIT, resume=True, device="host")

    run_streamed(asked_for(folder), LIMIT, device="host")
    assert numpy.abs(numpy.load(folder / "c.npy") - changed.astype("f8") @ numpy.load(folder / "b.npy")).max() < 1e-3


def test_a_run_with_another_limit_keeps_its_tiles(files):
    """The tiles are the journal's, so that the bits are the same; too small a limit is refused."""
    folder, expected = files
    stop = asked_for(folder)
    with pytest.raises(KeyboardInterrupt):
        run_streamed(stop, LIMIT, device="host", progress=_interrupt_after(4))
    run_streamed(asked_for(folder), "64MiB", resume=True, device="host")
    numpy.testing.assert_array_equal(numpy.load(folder / "c.npy"), expected)
    with pytest.raises(tilewright.PlanError, match="run to be continued has tiles"):
        run_streamed(asked_for(folder), 50_000, resume=True, device="host")


def _interrupt_after(steps):
    def report(done, _):
        if done == steps:
            raise KeyboardInterrupt

    return report


@pytest.mark.parametrize("cut", [1, 5, 17])
def test_a_journal_that_was_cut_short_counts_what_is_whole(files, cut):
    """The last line lost some bytes: that tile is computed again, the others are kept."""
    folder, expected = files
    run_streamed(asked_for(folder), LIMIT, device="host")
    tiles = len(whole_tiles(folder))
    journal = folder / "c.npy.tilewright" / "journal"
    journal.write_bytes(journal.read_bytes()[:-cut])
    (folder / "c.npy.tilewright" / "journal").read_bytes()

    timing = run_streamed(asked_for(folder), LIMIT, resume=True, device="host")

    assert timing.tiles + timing.tiles_kept == tiles
    assert timing.tiles == (0 if cut == 1 else 1)
    numpy.testing.assert_array_equal(numpy.load(folder / "c.npy"), expected)


@pytest.mark.parametrize("text", ["", "no journal", "[]\n", '{"version": 99}\n', '{"version": 1'])
def test_a_journal_that_is_none_begins_anew(files, text):
    """Whatever it is, the product is computed."""
    folder, expected = files
    (folder / "c.npy.tilewright").mkdir()
    (folder / "c.npy.tilewright" / "journal").write_text(text)

    assert run_streamed(asked_for(folder), LIMIT, resume=True, device="host").tiles_kept == 0
    numpy.testing.assert_array_equal(numpy.load(folder / "c.npy"), expected)


def test_a_corrupt_input_is_named_and_continues(tmp_path):
    """One chunk of zarr's: the file and the region; what was whole stays, and a mended input finishes it."""
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    values = numpy.random.default_rng().standard_normal((120, 120), dtype="f4")
    a = zarr.create_array(tmp_path / "a.zarr", shape=(120, 120), dtype="f4", chunks=(30, 30))
    a[...] = values
    out = zarr.create_array(tmp_path / "c.zarr", shape=(120, 120), dtype="f4", chunks=(30, 30), fill_value=numpy.nan)
    chunk = tmp_path / "a.zarr" / "c" / "3" / "2"
    good, times = chunk.read_bytes(), chunk.stat()
    asked = check_streamed("matmul", a, values, out, {})
    fingerprint = asked.a.fingerprint()
    setattr(asked.a, "fingerprint", lambda: fingerprint)  # noqa: B010  (which reads chunks of the last rows, too)
    chunk.write_bytes(good[:40])

    with pytest.raises(
        tilewright.StoreError, match=r"A \(.*a\.zarr\) cannot be read in rows 90 to 119 and columns 60 to 89: "
    ):
        run_streamed(asked, 260_000, device="host")
    assert numpy.isnan(out[119, 119])
    chunk.write_bytes(good)
    os.utime(chunk, ns=(times.st_atime_ns, times.st_mtime_ns))
    run_streamed(check_streamed("matmul", a, values, out, {}), 260_000, device="host")
    assert numpy.abs(out[...] - values.astype("f8") @ values).max() < 1e-3


@pytest.mark.parametrize("kind", ["npy", pytest.param("zarr", marks=pytest.mark.slow)])
def test_kill_9_and_resume_give_the_same_bits(files, kind):
    """At random moments, several times over: each run keeps what the journal of the one before had."""
    folder, expected = files
    command = child(folder)
    if kind == "zarr":
        zarr = pytest.importorskip("zarr", reason="zarr is not installed")
        for name in "ab":
            values = numpy.load(folder / f"{name}.npy")
            zarr.create_array(folder / f"{name}.zarr", shape=values.shape, dtype="f4", chunks=(20, 20))[...] = values
        zarr.create_array(folder / "c.zarr", shape=(300, 260), dtype="f4", chunks=(20, 20), fill_value=numpy.nan)
        command = [word.replace(".npy", ".zarr") for word in command]
        command[command.index(str(LIMIT))] = "300000"
    kills = 0
    for _ in range(2 if kind == "npy" else 4):
        process = subprocess.Popen([*command, "resume", "slow"], stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(random.uniform(0, 0.25))
        process.send_signal(signal.SIGKILL)
        kills += process.wait() == -signal.SIGKILL
        process.stdout.close()
    store = open_path(folder / f"c.{kind}", "C")
    kept = len(Journal(place_of_journal(store)).read()[1])
    done = subprocess.run([*command, "resume", "slow"], check=True, cwd=ROOT, capture_output=True, text=True)

    result = numpy.empty((300, 260), "f4")
    store.read(slice(0, 300), slice(0, 260), result)
    assert kills
    assert kept or not done.stdout.startswith("1 of 1\n")
    if kind == "npy":
        numpy.testing.assert_array_equal(result, expected)
    else:
        a, b = (numpy.load(folder / f"{name}.npy").astype("f8") for name in "ab")
        assert numpy.abs(result - a @ b).max() < 1e-3
        fresh = numpy.empty((300, 260), "f4")
        subprocess.run(command, check=True, cwd=ROOT, capture_output=True)
        open_path(folder / "c.zarr", "C").read(slice(0, 300), slice(0, 260), fresh)
        numpy.testing.assert_array_equal(result, fresh)
