// reduced product, element macro, tiles of 16 x 16; m and n even
// launch: reducedMacro<<<dim3((n/2+15)/16, (m/2+15)/16), dim3(16,16)>>>(...)
#define SZ 16
#define EL(X, r, c, ld) ((X)[r * (ld) + (c)])

__global__ void reducedMacro(const int m, const int n, const int p,
                             const float *A, const float *B, float *C)
{
    __shared__ float rowPair[SZ][SZ];
    __shared__ float colPair[SZ][SZ];

    const unsigned tx = threadIdx.x, ty = threadIdx.y;
    const int i = blockIdx.y * SZ + ty;
    const int j = blockIdx.x * SZ + tx;
    float r = 0.0f;

    for (int t = 0; t < p; t += SZ) {
        const int ka = t + tx;
        const int kb = t + ty;
        float x = 0.0f, y = 0.0f;
        if (2 * i + 1 < m && ka < p)
            x = EL(A, 2 * i, ka, p) + EL(A, 2 * i + 1, ka, p);
        if (kb < p && 2 * j + 1 < n)
            y = EL(B, kb, 2 * j, n) + EL(B, kb, 2 * j + 1, n);
        rowPair[ty][tx] = x;
        colPair[ty][tx] = y;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < SZ; ++k)
            r += rowPair[ty][k] * colPair[k][tx];
        __syncthreads();
    }
    if (i < m / 2 && j < n / 2)
        EL(C, i, j, n / 2) = r;
}
