"""Every kind of store reads and writes the same regions, can be opened again, and says what fails and where."""

from __future__ import annotations

import errno
import os
import pickle
from typing import Any

import numpy
import pytest

from tilewright.arrays.errors import DtypeError, ShapeError, StoreError
from tilewright.arrays.stores import zarr as zarr_stores
from tilewright.arrays.stores.memmap import MemmapStore
from tilewright.arrays.stores.opened import (
    NEW_CHUNK,
    create_path,
    is_stored,
    is_there,
    new_chunks,
    open_path,
    reopened,
    store_of,
)
from tilewright.arrays.stores.store import cut, pieces, strips

KINDS = ("memory", "memmap", "columns", "gaps", "zarr", "shards", "hdf5", "chunked")


def made(kind, folder, values):
    """An array of one kind with these values."""
    found: Any
    if kind == "memory":
        return values.copy()
    if kind in {"memmap", "columns", "gaps"}:
        extents = (values.shape[0], 2 * values.shape[1]) if kind == "gaps" else values.shape
        found = numpy.lib.format.open_memmap(
            folder / f"{kind}.npy", "w+", values.dtype, extents, fortran_order=kind == "columns"
        )
        found = found[:, ::2] if kind == "gaps" else found
    elif kind in {"zarr", "shards"}:
        zarr = pytest.importorskip("zarr", reason="zarr is not installed")
        shards = (20, 14) if kind == "shards" else None
        found = zarr.create_array(
            folder / f"{kind}.zarr", shape=values.shape, dtype=values.dtype, chunks=(10, 7), shards=shards
        )
    else:
        h5py = pytest.importorskip("h5py", reason="h5py is not installed")
        file = h5py.File(folder / f"{kind}.h5", "w")
        chunks = (10, 7) if kind == "chunked" else None
        found = file.create_dataset("group/c", shape=values.shape, dtype=values.dtype, chunks=chunks)
    found[...] = values
    if kind in {"memmap", "columns", "gaps"}:
        found.flush()
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_regions_are_read_and_written(tmp_path, kind):
    """Awkward ones: one element, whole rows, across chunks, the end; by another process's eyes, too."""
    values = numpy.random.default_rng().standard_normal((37, 29)).astype("f4")
    store = store_of(made(kind, tmp_path, values), "A")

    for rows, columns in (
        ((0, 37), (0, 29)),
        ((3, 4), (5, 6)),
        ((9, 21), (6, 15)),
        ((2, 33), (7, 9)),
        ((2, 33), (11, 12)),
        ((30, 37), (0, 29)),
        ((5, 5), (0, 3)),
    ):
        region = slice(*rows), slice(*columns)
        into = numpy.full((rows[1] - rows[0], columns[1] - columns[0]), numpy.nan, "f4")
        store.read(*region, into)
        numpy.testing.assert_array_equal(into, values[region])
        values[region] = -into
        store.write(*region, -into)
        store.flush(*region)
    where = store.location()
    again = store if where is None else reopened(where, "C")
    into = numpy.full((37, 29), numpy.nan, "f4")
    again.read(slice(0, 37), slice(0, 29), into)
    numpy.testing.assert_array_equal(into, values)
    assert store.fingerprint() == again.fingerprint()
    assert (where is None) == (kind == "memory")


@pytest.mark.parametrize("kind", ["memmap", "zarr", "hdf5"])
def test_a_fingerprint_or_a_stamp_tells_of_a_change(tmp_path, kind):
    """The first element is in the fingerprint; the files' times change with any."""
    values = numpy.zeros((37, 29), "f4")
    store = store_of(made(kind, tmp_path, values), "A")
    before, stamp = store.fingerprint(), store.stamp()

    store.write(slice(0, 1), slice(0, 1), numpy.ones((1, 1), "f4"))
    store.flush(slice(0, 1), slice(0, 1))

    assert store.fingerprint() != before
    assert store.stamp() != stamp


@pytest.mark.parametrize("kind", ["zarr", "shards"])
def test_files_of_chunks_are_on_the_disk_with_their_folders(tmp_path, monkeypatch, kind):
    """A new file is lost with the power while its folder is not written; a chunk of zeros has none."""
    written = []
    array = made(kind, tmp_path, numpy.zeros((37, 29), "f4"))
    store = store_of(array, "C")
    store.write(slice(10, 20), slice(7, 21), numpy.ones((10, 14), "f4"))
    monkeypatch.setattr(zarr_stores, "_sync", lambda path: written.append(path) if path.exists() else path.stat())

    store.flush(slice(0, 20), slice(0, 21))

    root = tmp_path / f"{kind}.zarr"
    files = {path for path in root.rglob("*") if path.is_file() and path.name != "zarr.json"}
    assert files
    assert set(written) == files | {path.parent for path in files} | {root}


def test_vectors_are_rows_or_columns(tmp_path):
    """So that a dot product is a product of matrices."""
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    values = numpy.arange(23, dtype="f8")
    array = zarr.create_array(tmp_path / "v.zarr", shape=(23,), dtype="f8", chunks=(5,))
    array[:] = values
    row, column = store_of(array, "A"), store_of(array, "B", is_column=True)

    assert (row.shape, column.shape, row.chunks, column.chunks) == ((1, 23), (23, 1), (1, 5), (5, 1))
    into = numpy.empty((7, 1), "f8")
    column.read(slice(3, 10), slice(0, 1), into)
    numpy.testing.assert_array_equal(into[:, 0], values[3:10])


@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("is_column", [False, True])
def test_vectors_in_maps(tmp_path, step, is_column):
    """A part of one is read and written, with gaps between its elements or without, and nothing beside it."""
    whole = numpy.lib.format.open_memmap(tmp_path / "v.npy", "w+", "f8", (60,))
    whole[:] = expected = numpy.arange(60.0)
    vector = expected[::step]
    store = store_of(whole[::step], "A", is_column=is_column)
    part = slice(2, 9)
    region = (part, slice(0, 1)) if is_column else (slice(0, 1), part)
    into = numpy.full((7, 1) if is_column else (1, 7), numpy.nan)
    store.read(*region, into)
    numpy.testing.assert_array_equal(into.ravel(), vector[part])
    store.write(*region, -into)
    store.flush(*region)
    vector[part] *= -1
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "v.npy"), expected)


def test_a_memmap_that_was_cut_short_is_a_sentence(tmp_path):
    """Where its map would end the process (SIGBUS)."""
    found = made("memmap", tmp_path, numpy.ones((100, 100), "f4"))
    store = store_of(found, "A")
    os.truncate(tmp_path / "memmap.npy", 20_000)

    with pytest.raises(
        StoreError, match=r"^A \(.*memmap\.npy\) cannot be read in rows 0 to 99 .*: the file ends there\.$"
    ):
        store.read(slice(0, 100), slice(0, 100), numpy.empty((100, 100), "f4"))


def test_copy_on_write_is_read_from_memory(tmp_path):
    """What was changed there is not in the file."""
    made("memmap", tmp_path, numpy.ones((4, 4), "f4"))
    private = numpy.load(tmp_path / "memmap.npy", mmap_mode="c")
    private[0, 0] = 5
    into = numpy.empty((4, 4), "f4")

    store_of(private, "A").read(slice(0, 4), slice(0, 4), into)

    assert into[0, 0] == 5


@pytest.mark.parametrize("kind", ["zarr", "chunked"])
def test_a_corrupt_chunk_is_named(tmp_path, kind):
    """The file and the chunk's own region, out of a larger one."""
    if kind == "zarr":
        zarr = pytest.importorskip("zarr", reason="zarr is not installed")
        array = zarr.create_array(tmp_path / "a.zarr", shape=(40, 40), dtype="f4", chunks=(10, 10))
        array[:] = numpy.random.default_rng().standard_normal((40, 40))
        chunk = tmp_path / "a.zarr" / "c" / "2" / "1"
        chunk.write_bytes(b"\0" * 7)
    else:
        h5py = pytest.importorskip("h5py", reason="h5py is not installed")
        with h5py.File(tmp_path / "a.h5", "w") as file:
            made_ = file.create_dataset("a", (40, 40), "f4", chunks=(10, 10), fletcher32=True)
            made_[:] = numpy.random.default_rng().standard_normal((40, 40))
            offset = made_.id.get_chunk_info_by_coord((20, 10)).byte_offset
        with (tmp_path / "a.h5").open("r+b") as raw:
            raw.seek(offset + 5)
            raw.write(b"\xff\x00\xff")
        array = h5py.File(tmp_path / "a.h5", "r")["a"]
    store = store_of(array, "A")

    with pytest.raises(
        StoreError, match=r"^A \(.*a\.(zarr|h5:a)\) cannot be read in rows 20 to 29 and columns 10 to 19: "
    ):
        store.read(slice(0, 40), slice(0, 40), numpy.empty((40, 40), "f4"))


def test_a_full_disk_keeps_its_number(tmp_path, monkeypatch):
    """So that a caller can tell it from other errors."""
    store = store_of(made("memmap", tmp_path, numpy.ones((4, 4), "f4")), "out")

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(store, "_put", full)
    with pytest.raises(
        StoreError, match=r"^out \(.*\) cannot be written in rows 0 to 3 .*: No space left on device\.$"
    ) as caught:
        store.write(slice(0, 4), slice(0, 4), numpy.ones((4, 4), "f4"))
    assert caught.value.errno == errno.ENOSPC


def test_an_error_keeps_its_number_on_its_way_to_another_process():
    """An OSError leaves it behind."""
    error = pickle.loads(pickle.dumps(StoreError("The disk is full.", errno.ENOSPC)))  # noqa: S301  (our own)

    assert (str(error), error.errno) == ("The disk is full.", errno.ENOSPC)


@pytest.mark.parametrize(("name", "needs"), [("c.npy", None), ("c.zarr", "zarr"), ("c.h5:x/y", "h5py")])
def test_paths_are_made_and_opened(tmp_path, name, needs):
    """Each kind by its ending, and a second time what is there."""
    if needs is not None:
        pytest.importorskip(needs, reason=f"{needs} is not installed")
    path = str(tmp_path / name)
    assert not is_there(path)
    store = create_path(path, "C", (5, 7), "f4")
    store.write(slice(0, 5), slice(0, 7), numpy.full((5, 7), 3, "f4"))
    store.flush(slice(0, 5), slice(0, 7))
    del store

    assert is_there(path)
    into = numpy.empty((5, 7), "f4")
    open_path(path, "C").read(slice(0, 5), slice(0, 7), into)
    assert (into == 3).all()


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("none.npy", "does not exist"),
        ("none.zarr", "does not exist"),
        ("a.csv", "must end in"),
        ("bad.npy", "is no .npy file"),
        ("x.h5", "name a dataset"),
    ],
)
def test_paths_that_do_not_do(tmp_path, path, said):
    """In one sentence with the path."""
    (tmp_path / "bad.npy").write_bytes(b"no numbers")
    with pytest.raises(StoreError, match=said) as caught:
        open_path(str(tmp_path / path), "A")
    assert path.partition(":")[0] in str(caught.value)


def test_what_is_no_matrix_is_refused():
    """By shape, or by type."""
    with pytest.raises(ShapeError, match="takes matrices"):
        store_of(numpy.ones((2, 2, 2)), "A")
    with pytest.raises(DtypeError, match="numbers are accepted"):
        store_of(numpy.array([["a"]]), "A")
    assert not is_stored(numpy.ones(3), [1], None, "zarr")


def test_parts_of_regions():
    """They end where chunks do, and cover everything once."""
    assert cut(slice(3, 25), 10) == [slice(3, 10), slice(10, 20), slice(20, 25)]
    assert list(pieces(slice(8, 12), slice(0, 3), (10, 5))) == [
        (slice(8, 10), slice(0, 3)),
        (slice(10, 12), slice(0, 3)),
    ]
    assert strips(slice(0, 25), (10, 5), 12 * 4, 4) == [slice(0, 10), slice(10, 20), slice(20, 25)]
    assert strips(slice(0, 3), None, 1, 4) == [slice(0, 1), slice(1, 2), slice(2, 3)]


def test_a_memmap_reads_in_no_map(tmp_path):
    """Its buffers are the process's; the file's pages are not."""
    found = store_of(made("memmap", tmp_path, numpy.ones((4, 4), "f4")), "A")

    assert isinstance(found, MemmapStore)
    assert found.kind == "memmap"


@pytest.mark.parametrize(
    ("shape", "chunks"),
    [((0, 5), (1, 5)), ((1, 1), (1, 1)), ((7, 0), (7, 1)), ((NEW_CHUNK, NEW_CHUNK + 1), (NEW_CHUNK, NEW_CHUNK))],
)
def test_chunks_of_a_new_array(shape, chunks):
    """As large as it is, up to a limit; of nothing one element."""
    assert new_chunks(shape) == chunks
