// C = A^T * B
//   A is stored with K rows and M columns, B with K rows and N columns, C is M x N
// Thread blocks of 16 x 16.
#define NB 16

__global__ void gemmTN(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float sA[NB][NB];   // sA[k][i]
    __shared__ float sB[NB][NB];   // sB[k][j]

    int i0 = blockIdx.y * NB;
    int j0 = blockIdx.x * NB;
    int tx = threadIdx.x;
    int ty = threadIdx.y;

    float c = 0.0f;
    for (int k0 = 0; k0 < K; k0 += NB) {
        sA[ty][tx] = (k0 + ty < K && i0 + tx < M) ? A[(k0 + ty) * K + i0 + tx] : 0.0f;
        sB[ty][tx] = (k0 + ty < K && j0 + tx < N) ? B[(k0 + ty) * N + j0 + tx] : 0.0f;
        __syncthreads();
        for (int k = 0; k < NB; k++)
            c += sA[k][ty] * sB[k][tx];
        __syncthreads();
    }

    if (i0 + ty < M && j0 + tx < N)
        C[(i0 + ty) * N + j0 + tx] = c;
}
