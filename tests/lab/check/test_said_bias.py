"""A layer whose bias belongs to the other side of C than a formula in a comment says."""

import pytest

from tests.lab.check.test_products import checked

KERNEL = """
// %(said)s
__global__ void layer(const float *X, const float *W, const float *bias, float *Y, int batch, int in, int out)
{
    int o = blockIdx.x * 16 + threadIdx.x, b = blockIdx.y * 16 + threadIdx.y;
    if (b >= batch || o >= out) return;
    float sum = 0;
    for (int i = 0; i < in; ++i) sum += X[b * in + i] * W[o * in + i];
    Y[b * out + o] = sum + bias[%(by)s];
}
void run(const float *X, const float *W, const float *bias, float *Y, int batch, int in, int out)
{
    layer<<<dim3((out + 15) / 16, (batch + 15) / 16), dim3(16, 16)>>>(X, W, bias, Y, batch, in, out);
}
"""
SAID = "Y[b][o] = sum X[b][i] * W[o][i] + bias[o]"


@pytest.mark.parametrize("said", [SAID, "Y(n, m) = X(n, :) . W(m, :) + bias(m)"])
def test_the_other_side(tmp_path, said):
    """The line is that where the bias is read."""
    result = checked(tmp_path, KERNEL % {"said": said, "by": "b"})
    assert [each.place[1] for each in result.findings if each.severity == "error"] == [9]


@pytest.mark.parametrize(
    ("said", "by"),
    [(SAID, "o"), ("a bias of each sample", "b"), (f"column-major: {SAID}", "b"), ("Y[b][o] = X + z[b]", "b")],
)
def test_what_is_said_or_may_be(tmp_path, said, by):
    """Where nothing is said, either side may be meant; matrices by columns turn the sides."""
    assert checked(tmp_path, KERNEL % {"said": said, "by": by}).is_well()
