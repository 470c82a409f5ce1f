// 행렬의 각 행의 합을 구하는 커널 (row sums)
// 블록: (32, 8) 스레드, 블록 하나가 8개의 행을 처리한다.
// 그리드: (rows + 7) / 8

__global__ void rowSum(const float *in, float *out, int rows, int cols)
{
    __shared__ float s[8][32];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.x * 8 + ty;

    // 각 스레드의 부분합
    float sum = 0.0f;
    if (row < rows) {
        for (int c = tx; c < cols; c += 32)
            sum += in[row * cols + c];
    }
    s[ty][tx] = sum;
    __syncthreads();

    // 트리 리덕션
    for (int half = 16; half > 0; half /= 2) {
        if (tx < half)
            s[ty][tx] += s[ty][tx + half];
        __syncthreads();
    }

    if (tx == 0 && row < rows)
        out[row] = s[ty][0];
}
