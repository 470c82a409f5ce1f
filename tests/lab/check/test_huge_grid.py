"""A file whose own launch has more blocks than can be run is refused in a sentence, before anything is set aside."""

from __future__ import annotations

from pathlib import Path

from tilewright.lab.check.judge.judging import check_file
from tilewright.lab.check.options import Options

SOURCE = """__global__ void product(const float *A, const float *B, float *C, int M, int N, int K) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < M && col < N) { float s = 0; for (int k = 0; k < K; k++) s += A[row * K + k] * B[k * N + col];
                            C[row * N + col] = s; }
}
int main() { float *A, *B, *C; product<<<dim3(2147483647, 65535, 65535), dim3(32, 32)>>>(A, B, C, 5, 5, 5); }
"""


def test_launch_of_two_to_the_sixty_third_blocks(tmp_path: Path) -> None:
    """Neither memory nor time goes with the grid."""
    path = tmp_path / "huge.cu"
    path.write_text(SOURCE)
    (result,) = check_file(path, Options(), progress=lambda *_: None)

    assert "9223090559730712575 blocks; at most 1048576 are run" in result.refusal
