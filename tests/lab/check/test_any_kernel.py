"""Kernels that are of no known kind: what is wrong in shared memory is found, and what is right is asked about."""

import pytest

from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

SCAN = """
__global__ void prefix(float *data, int n)
{
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = t < n ? data[t] : 0;
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        float left = t >= d ? s[t - d] : 0;
        BARRIER s[t] += left;
        __syncthreads();
    }
    if (t < n) data[t] = s[t];
}
void run(float *data, int n) { prefix<<<1, 128>>>(data, n); }
"""
WINDOW = """
#define BLOCK 64
#define REACH 3
__global__ void window(const float *in, float *out, int n)
{
    __shared__ float near[BLOCK + MORE];
    int at = blockIdx.x * BLOCK + threadIdx.x, here = threadIdx.x + REACH;
    near[here] = at < n ? in[at] : 0;
    if (threadIdx.x < REACH) {
        near[threadIdx.x] = at >= REACH ? in[at - REACH] : 0;
        near[here + BLOCK] = at + BLOCK < n ? in[at + BLOCK] : 0;
    }
    __syncthreads();
    float best = near[here];
    for (int d = -REACH; d <= REACH; ++d) best += near[here + d] * (d + 5);
    if (at < n) out[at] = best;
}
int main()
{
    int n = 300;
    float *a, *b;
    window<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(a, b, n);
}
"""
STEP = """
#define W 40
#define H 30
// the border is copied
__global__ void relax(const float *from, float *to)
{
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, at = y * W + x;
    if (x >= W || y >= H) return;
    if (x > 0 && x < W - 1 && y > 0 && y < H - 1)
        to[at] = (from[at - 1] + from[at + 1] + from[at - W] + from[at + W]) / 4;
    else
        to[at] = from[at];
}
int main()
{
    float *a, *b;
    cudaMalloc(&a, W * H * 4); cudaMalloc(&b, W * H * 4);
    relax<<<dim3((W + 7) / 8, (H + 7) / 8), dim3(8, 8)>>>(GIVEN);
}
"""
BINS = """
__global__ void spread(const int *keys, const float *weights, float *out, int n)
{
    __shared__ float bins[8];
    int t = threadIdx.x;
    if (t < 8) bins[t] = 0;
    __syncthreads();
    for (int i = t; i < n; i += 64) atomicAdd(&bins[keys[i]], weights[i] * weights[i]);
    __syncthreads();
    if (t < 8) out[t] = bins[t];
}
void run(const int *keys, const float *weights, float *out, int n) { spread<<<1, 64>>>(keys, weights, out, n); }
"""
UNKNOWN = """
__global__ void blur(const float *in, float *out, int n, int reach)
{
    __shared__ float near[64 + 2 * 8];
    int at = blockIdx.x * 64 + threadIdx.x, here = threadIdx.x + reach;
    near[here] = at < n ? in[at] : 0;
    if (threadIdx.x < reach) {
        near[threadIdx.x] = at >= reach ? in[at - reach] : 0;
        near[here + 64] = at + 64 < n ? in[at + 64] : 0;
    }
    __syncthreads();
    float all = 1;
    for (int d = -reach; d <= reach; ++d) all += near[here + d] * d;
    if (at < n) out[at] = all;
}
void run(const float *in, float *out, int n, int reach) { blur<<<(n + 63) / 64, 64>>>(in, out, n, reach); }
"""
SHORT = """
__global__ void prefix(float *data, int n)
{
    __shared__ float s[128];
    int at = blockIdx.x * 128 + threadIdx.x;
    s[threadIdx.x] = at < n ? data[at] : 0;
    if (at < n - 1) __syncthreads();
    if (at < n) data[at] = s[threadIdx.x] * 2;
}
int main() { float *data; int n = 300; prefix<<<3, 128>>>(data, n); }
"""
POOL = """
extern __shared__ float pool[];
__global__ void turn(float *data, int n)
{
    for (int i = threadIdx.x; i < n; i += 32) pool[i] = data[i] * i;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += 32) data[i] = pool[n - 1 - i];
}
void run(float *data, int n, int bytes) { turn<<<1, 32, bytes>>>(data, n); }
"""
TAPS = """
__global__ void taps(const float *in, const float *w, float *out, int n, int reach)
{
    extern __shared__ float s[];
    float *own = s + blockDim.x;
    s[threadIdx.x] = in[threadIdx.x];
    for (int i = threadIdx.x; i < 2 * reach; i += blockDim.x) own[i] = w[i];
    __syncthreads();
    if (threadIdx.x < n) out[threadIdx.x] = own[n % reach] / (s[threadIdx.x] + 1);
}
void run(const float *in, const float *w, float *out, int n, int reach)
{
    taps<<<1, 64, (64 + ROOM) * sizeof(float)>>>(in, w, out, n, reach);
}
"""
TREE = """
__global__ void tree(const float *in, float *out, int n)
{
    __shared__ float s[1024];
    int t = threadIdx.x;
    s[t] = in[t] * t;
    for (int d = blockDim.x / 2; d > 0; d /= 2)
        if (t < d) { __syncthreads(); s[t] += s[t + d] * d; }
    if (t == 0) out[n] = s[0];
}
void run(const float *in, float *out, int n) { tree<<<1, n>>>(in, out, n); }
"""
WRONG = {
    "bins that nobody sets to zero": (BINS.replace("if (t < 8) bins[t] = 0;", ""), "uninitialised read", {8, 10}),
    "fewer bytes than are used": (TAPS.replace("ROOM", "reach"), "out of bounds", {13}),
    "a barrier in a branch of a block of any size": (TREE, "barrier not reached", {8}),
    "a barrier is missing": (SCAN.replace("BARRIER", ""), "race", {9, 10}),
    "room for one side": (WINDOW.replace("MORE", "REACH"), "out of bounds", {11, 15}),
    "one array for both": (STEP.replace("GIVEN", "a, a"), "race", {10, 12}),
    "a barrier that one thread skips": (SHORT, "barrier not reached", {7}),
}
"""Text, kind of the first finding and its lines."""
ASKED = {
    "as many bytes as are used": TAPS.replace("ROOM", "2 * reach"),
    "a scan": SCAN.replace("BARRIER", "__syncthreads();"),
    "a window": WINDOW.replace("MORE", "2 * REACH"),
    "a window whose edges are copied": "// copies the edges, adds up what is near\n"
    + WINDOW.replace("MORE", "2 * REACH"),
    "a step": STEP.replace("GIVEN", "a, b"),
    "a step with pointers to nothing": STEP.replace("GIVEN", "nullptr, nullptr"),
    "indices from an array": BINS,
    "a radius that only the program knows": UNKNOWN,
    "bytes that only the program knows": POOL,
    "a barrier in a kernel for whole blocks": f"// n is a multiple of 128{SHORT}",
}


def checked(tmp_path, text):
    """The only kernel's result."""
    path = tmp_path / "kernel.cu"
    path.write_text(text, encoding="utf-8")
    (result,) = check_file(path, Options())
    return result


@pytest.mark.long
@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_in_shared_memory(tmp_path, name):
    """It is one whatever the kernel computes, in the launch of its file."""
    text, kind, lines = WRONG[name]
    result = checked(tmp_path, text)

    assert not result.refusal
    assert not result.is_well()
    assert (result.findings[0].kind, result.findings[0].severity) == (kind, "error")
    assert result.findings[0].place[1] in lines
    assert any("is not known" in note for note in result.notes)


@pytest.mark.long
@pytest.mark.parametrize("name", ASKED)
def test_what_is_right_is_asked_about(tmp_path, name):
    """Neither right nor wrong: nothing says what it should compute."""
    result = checked(tmp_path, ASKED[name])

    assert result.refusal
    assert not result.findings
