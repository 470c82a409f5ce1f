"""Launches in several streams, of which one reads what another writes."""

import pytest

from tilewright.lab.check.find.kernel_file import KernelFile, open_file
from tilewright.lab.check.judge.unordered_streams import unordered_launches
from tilewright.lab.check.options import Options

TEXT = """
__global__ void doubled(const float *x, float *y, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
void run(const float *x, float *y, float *z, int n)
{
    cudaStream_t one, two;
    cudaEvent_t done;
    cudaStreamCreate(&one);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    cudaEventCreate(&done);
    doubled<<<(n + 127) / 128, 128, 0, one>>>(x, y, n);
    cudaEventRecord(done, one);
    /* HERE */
    dim3 grid((n + 127) / 128);
    doubled<<<grid, 128, 0, two>>>(y, z, n);
}
"""


COPIES = """
__global__ void doubled(const float *x, float *y, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
#define CHECK(call) do { if ((call) != cudaSuccess) printf("%s\\n", cudaGetErrorString(cudaGetLastError())); } while (0)
void run(const float *x, float *y, int n)
{
    float *dx, *dy;
    cudaStream_t one, two, old;
    cudaEvent_t done;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    cudaStreamCreate(&old);
    cudaMalloc(&dx, 4 * n), cudaMalloc(&dy, 4 * n);
    CHECK(cudaMemcpyAsync(dx, x, 4 * n, cudaMemcpyHostToDevice, one));
    cudaEventRecord(done, one);
    cudaStreamWaitEvent(two, done, 0);
    dim3 grid((n + 127) / 128), block(128);
    doubled<<<grid, block, 0, two>>>(dx, dy, n);
    cudaStreamSynchronize(two);
    cudaMemcpy(y, dy, 4 * n, cudaMemcpyDeviceToHost);
}
"""
WAITS, SYNCHRONISES = "cudaStreamWaitEvent(two, done, 0);", "cudaStreamSynchronize(two);"


def _found(tmp_path, text):
    path = tmp_path / "streams.cu"
    path.write_text(text)
    opened = open_file(path)
    places = [at for at, _, _ in unordered_launches(KernelFile(opened, opened.kernels[0], Options()))]
    return [text.count("\n", 0, at) + 1 for at in places]


@pytest.mark.parametrize(
    ("was", "now", "lines"),
    [
        (WAITS, "", [21]),
        (WAITS, "cudaStreamWaitEvent(old, done, 0);", [21]),
        (WAITS, "cudaStreamSynchronize(two);", [21]),
        (WAITS, "cudaStreamSynchronize(one);", []),
        (WAITS, "cudaStreamWaitEvent(old, done, 0); cudaEventRecord(done, old); " + WAITS, []),
        (WAITS, "cudaMemsetAsync(dz, 0, 4, one);", []),
        ("done, one", "done, two", [21]),
        ("0, two>>>", "0>>>", [21]),
        (WAITS, "wait();", []),
        (SYNCHRONISES, "", [23]),
        (SYNCHRONISES, "cudaStreamSynchronize(one);", [23]),
        (SYNCHRONISES, "cudaDeviceSynchronize();", []),
        ("", "", []),
    ],
)
def test_copies_have_streams_too(tmp_path, was, now, lines):
    """The default stream waits for none that does not block, and a stream not for one that another waits for."""
    assert _found(tmp_path, COPIES.replace(was, now) if was else COPIES) == lines


def test_streams_that_block(tmp_path):
    """The default stream waits for these, and they for it."""
    text = COPIES.replace(SYNCHRONISES, "").replace(", cudaStreamNonBlocking", "").replace("WithFlags", "")
    assert _found(tmp_path, text) == []
    assert _found(tmp_path, text.replace(WAITS, "")) == [21]


def test_nothing_waits(tmp_path):
    """An event that is recorded orders nothing yet."""
    assert _found(tmp_path, TEXT) == [18]


@pytest.mark.parametrize(
    "here",
    [
        "cudaStreamWaitEvent(two, done, 0);",
        "cudaStreamSynchronize(one);",
        "join(one, two);",
        "doubled<<<1, 128>>>(x, w, n);",
    ],
)
def test_something_may_wait(tmp_path, here):
    """A function of the file's own, and a launch in the default stream, too."""
    assert _found(tmp_path, TEXT.replace("/* HERE */", here)) == []


@pytest.mark.parametrize(("was", "now"), [("two>>>", "one>>>"), ("(y, z, n)", "(x, z, n)")])
def test_what_needs_no_order(tmp_path, was, now):
    """One stream keeps its order, and what nobody writes may be read at any time."""
    assert _found(tmp_path, TEXT.replace(was, now)) == []
