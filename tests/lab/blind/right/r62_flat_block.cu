/*
 * Assignment 3 - tiled matmul, but the block is ONE dimensional (256 threads).
 * launch: grid = (ceil(P/16), ceil(M/16)), block = 256
 * A is M x N, B is N x P, C is M x P
 */
#define TS 16

__global__ void mm_flat(float* __restrict__ C,
                        const float* __restrict__ A,
                        const float* __restrict__ B,
                        unsigned int M, unsigned int N, unsigned int P)
{
    __shared__ float sa[TS * TS];
    __shared__ float sb[TS * TS];

    unsigned int t = threadIdx.x;
    unsigned int r = t / TS;       // row inside the tile
    unsigned int c = t % TS;       // column inside the tile
    unsigned int gr = blockIdx.y * TS + r;
    unsigned int gc = blockIdx.x * TS + c;

    float acc = 0.f;
    unsigned int phases = (N + TS - 1) / TS;

    for (unsigned int p = 0; p < phases; ++p)
    {
        unsigned int ac = p * TS + c;
        unsigned int br = p * TS + r;
        sa[t] = (gr < M && ac < N) ? A[gr * N + ac] : 0.f;
        sb[t] = (br < N && gc < P) ? B[br * P + gc] : 0.f;
        __syncthreads();
#pragma unroll
        for (unsigned int k = 0; k < TS; ++k)
            acc = fmaf(sa[r * TS + k], sb[k * TS + c], acc);
        __syncthreads();
    }

    if (gr >= M || gc >= P) return;
    C[gr * P + gc] = acc;
}
