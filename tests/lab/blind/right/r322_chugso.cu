// 축소 행렬곱: R = (M/2 올림) x (N/2 올림)
// 2x2 합 = (A의 두 행의 합) . (B의 두 열의 합) 이므로 미리 더해서 타일에 넣는다.
// M, N이 홀수이면 마지막 행/열은 있는 원소만 더한다.
//
// 실행:
//   int RM = (M + 1) / 2, RN = (N + 1) / 2;
//   dim3 block(16, 16), grid((RN + 15) / 16, (RM + 15) / 16);
//   reduced_mm<<<grid, block>>>(A, B, R, M, K, N);

#define TILE 16

__global__ void reduced_mm(const float *A, const float *B, float *R, int M, int K, int N)
{
    __shared__ float rowSum[TILE][TILE];
    __shared__ float colSum[TILE][TILE];

    const int RM = (M + 1) / 2;
    const int RN = (N + 1) / 2;
    const int i = blockIdx.y * TILE + threadIdx.y;
    const int j = blockIdx.x * TILE + threadIdx.x;

    float acc = 0.0f;
    for (int t = 0; t < (K + TILE - 1) / TILE; ++t) {
        const int ka = t * TILE + threadIdx.x;
        const int kb = t * TILE + threadIdx.y;

        float a = 0.0f;
        if (ka < K) {
            if (2 * i < M)     a += A[(2 * i) * K + ka];
            if (2 * i + 1 < M) a += A[(2 * i + 1) * K + ka];
        }
        float b = 0.0f;
        if (kb < K) {
            if (2 * j < N)     b += B[kb * N + 2 * j];
            if (2 * j + 1 < N) b += B[kb * N + 2 * j + 1];
        }
        rowSum[threadIdx.y][threadIdx.x] = a;
        colSum[threadIdx.y][threadIdx.x] = b;
        __syncthreads();

        for (int k = 0; k < TILE; ++k)
            acc += rowSum[threadIdx.y][k] * colSum[k][threadIdx.x];
        __syncthreads();
    }

    if (i < RM && j < RN)
        R[i * RN + j] = acc;
}
