// Tiled product for any sizes, block (TS, TS), grid (ceil(N/TS), ceil(M/TS))
template <int TS>
__global__ void gemmTiled(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float Asub[TS][TS];
    __shared__ float Bsub[TS][TS];

    const int ty = threadIdx.y;
    const int tx = threadIdx.x;
    const int row = blockIdx.y * TS + ty;
    const int col = blockIdx.x * TS + tx;

    if (row < M && col < N) {
        float acc = 0.0f;
        for (int t = 0; t < K; t += TS) {
            Asub[ty][tx] = (t + tx < K) ? A[row * K + t + tx] : 0.0f;
            Bsub[ty][tx] = (t + ty < K) ? B[(t + ty) * N + col] : 0.0f;
            __syncthreads();
            for (int k = 0; k < TS; ++k)
                acc += Asub[ty][k] * Bsub[k][tx];
            __syncthreads();
        }
        C[row * N + col] = acc;
    }
}

template __global__ void gemmTiled<16>(const float *, const float *, float *, int, int, int);
