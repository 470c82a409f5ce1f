"""`watch` on kernels that really ran with mbarriers, the copy engine and wgmma."""

from __future__ import annotations

import re

import pytest

import tilewright
from tests.emulate.hopper_sources import DEVICE
from tilewright.lab.trace.subject import TraceError
from tilewright.lab.watch.reading import read_document

LINES = (
    DEVICE
    + r"""
// Sums of rows of 256 numbers, which arrive in two stages.
extern "C" __global__ void row_sums(const float* x, float* y, int rows)
{
    __shared__ __align__(128) float row[2][256];
    __shared__ Barrier full[2], empty[2];
    if (threadIdx.x == 0)
        for (int stage = 0; stage < 2; ++stage) {
            init(full + stage, 1);
            init(empty + stage, 1);
        }
    __syncthreads();
    for (int i = 0; i < rows; ++i) {
        int stage = i % 2;
        if (threadIdx.x == 32) {
            wait(empty + stage, (i / 2 + 1) & 1);
            expect(full + stage, 1024);
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];"
                         ::"r"(at(row[stage])), "l"(x + 256 * i), "r"(at(full + stage)) : "memory");
        }
        if (threadIdx.x < 32) {
            wait(full + stage, i / 2 & 1);
            float sum = 0;
            for (int p = threadIdx.x; p < 256; p += 32)
                sum += row[stage][p];
            for (int distance = 16; distance; distance /= 2)
                sum += __shfl_down_sync(~0u, sum, distance);
            if (threadIdx.x == 0) {
                y[i] = sum;
                arrive(empty + stage);
            }
            __syncwarp();
        }
    }
}
"""
)


@pytest.fixture(scope="module")
def recording():
    """The product that people draw by hand."""
    return tilewright.watch("matmul/wgmma", (128, 128, 256))


def fills_of(block):
    """Return what each slot held when its stage was full, by the operand, in the order of the fills."""
    fills: dict[int, list[str]] = {0: [], 1: []}
    for step in block["steps"]:
        if step.get("e"):
            for stage, slot, state, text, *_ in step["s"]:
                if state == "full":
                    fills[block["stages"][stage]["slots"][slot]["array"]].append(text)
    return fills


def test_a_pipeline_of_the_catalogue(recording):
    """C is right; each tile of k arrives once; phases of every barrier follow each other, and stages come in turn."""
    document = recording.document
    [block] = document["blocks"]
    assert document["problem"]["wrong_elements"] == 0
    assert [array["name"] for array in document["arrays"]] == ["A", "B", "C"]
    assert [lane["name"] for lane in block["lanes"]] == ["producer", "copy engine", "consumer 0", "consumer 1"]
    fills = fills_of(block)
    assert sorted(fills[0]) == sorted(f"A[0:128, {k}:{k + 64}]" for k in range(0, 256, 64))
    assert sorted(fills[1]) == sorted(f"B[{k}:{k + 64}, 0:128]" for k in range(0, 256, 64))
    phases = dict.fromkeys(range(len(block["barriers"])), 0)
    for step in block["steps"]:
        for number, phase, pending, expected, nbytes in step.get("b", []):
            assert phase - phases[number] in (0, 1)
            assert 0 <= pending <= expected
            assert nbytes >= 0
            phases[number] = phase
    assert [phases[stage["full"]] for stage in block["stages"]] == [2, 1, 1]
    multiplied = [span["x"] for span in block["spans"] if span["k"] == "multiply"]
    assert len(multiplied) == 8
    assert {tuple(region) for regions in multiplied for region in regions if region[0] == 2} == {
        (2, 0, 64, 0, 128),
        (2, 64, 128, 0, 128),
    }
    stored = [region for span in block["spans"] if span["k"] == "store" for region in span["x"]]
    assert sum((bottom - top) * (right - left) for _, top, bottom, left, right in stored) == 128 * 128
    assert all("e" in span for span in block["spans"])
    assert not document["recorded"]["cut"]


def test_it_is_saved_and_played_again(recording, tmp_path):
    """As a page without any address in it, and as JSON that is read back; as no picture."""
    page = recording.save(tmp_path / "a.html").read_text(encoding="utf-8")
    assert re.findall(r"https?://", page.replace(recording.document["kernel"]["source"], "")) == []
    again = tilewright.watch(recording.save(tmp_path / "a.json"))
    assert again.page() == recording.page()
    assert read_document(tmp_path / "a.json") == recording.document
    assert str(recording).startswith("matmul/wgmma: ")


def test_the_small_kernel_and_a_seed():
    """Its consumers store by themselves; another order of warps gives the same tiles."""
    document = tilewright.watch("matmul/wgmma_small", (64, 64, 256), schedule_seed=3).document
    [block] = document["blocks"]
    assert document["problem"]["wrong_elements"] == 0
    assert sorted(fills_of(block)[1]) == sorted(f"B[{k}:{k + 64}, 0:64]" for k in range(0, 256, 64))
    assert any(step["t"] == "The consumer stores its results, C[0:64, 0:64], itself." for step in block["steps"])


def test_a_file_with_bulk_copies(tmp_path):
    """Rows arrive in two stages, and a warp reads them."""
    path = tmp_path / "row_sums.cu"
    path.write_text(LINES)
    document = tilewright.watch(
        path,
        arrays={"x": (4, 256)},
        results={"y": 4},
        scalars={"rows": 4},
        reference=_sums,
        block="64",
        grid="1",
    ).document
    [block] = document["blocks"]
    told = [step["t"] for step in block["steps"]]
    assert document["problem"]["wrong_elements"] == 0
    assert [lane["name"] for lane in block["lanes"]] == ["producer", "copy engine", "consumer"]
    assert block["barriers"][:2] == ["full[0]", "full[1]"]
    assert sorted(fills_of(block)[0]) == [f"x[{row}:{row + 1}, 0:256]" for row in range(4)]
    assert "The consumer reads x[2:3, 0:256] from stage 0." in told


def _sums(x, rows):
    return {"y": x[:rows].sum(axis=1)}


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        ((2048, 2048, 2048), {}, "m n k is 268,435,456 at most"),
        ((128, 128, 64), {"threads": [0]}, "blocks can be chosen"),
        ((128, 128, 64), {"blocks": [4]}, "is none of the grid"),
    ],
)
def test_refusals(arguments, options, words):
    """A sentence."""
    with pytest.raises(TraceError, match=words):
        tilewright.watch("matmul/wgmma", arguments, **options)


def test_a_cluster_shares_its_tiles():
    """Two blocks below each other: each asks for half of a tile of B, which comes to both; nobody reads blanks."""
    document = tilewright.watch("matmul/wgmma", (256, 128, 256)).document
    assert document["launch"]["cluster"] == [2, 1, 1]
    assert (document["problem"]["wrong_elements"], document["findings"]) == (0, [])
    for number, block in enumerate(document["blocks"]):
        assert sorted(fills_of(block)[1]) == sorted(f"B[{k}:{k + 64}, 0:128]" for k in range(0, 256, 64))
        assert block["lanes"][-1]["name"] == "other blocks"
        copies = [span for span in block["spans"] if span["k"] == "copy" and span["a"] == 1]
        asked = [span["n"] for span in copies if "f" not in span]
        came = [span["n"] for span in copies if "f" in span]
        assert len(asked) == len(came) == 8
        assert all(name.endswith(f"here and in block {1 - number}") for name in asked)
        assert all(name.startswith(f"block {1 - number}: B[") for name in came)
        assert not any("-" in step["t"] for step in block["steps"])
