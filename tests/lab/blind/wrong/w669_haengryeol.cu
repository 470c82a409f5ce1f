// 행렬 곱 C = A * B (행 우선). A: m x k, B: k x n, 크기는 자유
//
// 실행 방법
//   dim3 threads(P, P);
//   dim3 blocks((n + P - 1) / P, (m + P - 1) / P);
//   gop<<<blocks, threads>>>(A, B, C, m, n, k);

#define P 16

__global__ void gop(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float Asub[P][P];
    __shared__ float Bsub[P][P];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int i = blockIdx.y * P + ty;
    int j = blockIdx.x * P + tx;

    if (i >= m || j >= n)
        return;

    float c = 0.0f;
    for (int p = 0; p < (k + P - 1) / P; p++) {
        // 타일 읽기 (범위 밖은 0)
        int la = p * P + tx;
        int lb = p * P + ty;
        Asub[ty][tx] = la < k ? A[i * k + la] : 0.0f;
        Bsub[ty][tx] = lb < k ? B[lb * n + j] : 0.0f;
        __syncthreads();

        for (int q = 0; q < P; q++)
            c += Asub[ty][q] * Bsub[q][tx];
        __syncthreads();
    }

    C[i * n + j] = c;
}
