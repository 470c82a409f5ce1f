// C = transpose(A) * B
//   A is stored as K x M (row major), B as K x N, C as M x N.  Any sizes.
#define TS 16

__global__ void gemm_tn(int M, int N, int K, const float* A, const float* B, float* C)
{
    __shared__ float tA[TS][TS];   // tA[k][m]
    __shared__ float tB[TS][TS];   // tB[k][n]

    int m = blockIdx.y * TS + threadIdx.y;
    int n = blockIdx.x * TS + threadIdx.x;
    int mload = blockIdx.y * TS + threadIdx.x;   // column of A that this thread fetches

    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += TS) {
        int k = k0 + threadIdx.y;
        tA[threadIdx.y][threadIdx.x] = (k < K && mload < M) ? A[k * M + mload] : 0.0f;
        tB[threadIdx.y][threadIdx.x] = (k < K && n < N) ? B[k * N + n] : 0.0f;
        __syncthreads();

        for (int i = 0; i < TS; i++)
            acc += tA[i][threadIdx.y] * tB[i][threadIdx.x];
        __syncthreads();
    }
    if (m < M && n < N)
        C[m * N + n] = acc;
}

void run_gemm_tn(int M, int N, int K, const float* dA, const float* dB, float* dC, cudaStream_t s)
{
    dim3 blk(TS, TS, 1);
    dim3 grd((N + TS - 1) / TS, (M + TS - 1) / TS, 1);
    gemm_tn<<<grd, blk, 0, s>>>(M, N, K, dA, dB, dC);
}
