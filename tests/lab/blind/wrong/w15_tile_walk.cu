#define BLOCK_WIDTH 32

// launch: block (BLOCK_WIDTH, BLOCK_WIDTH), enough blocks to cover C
__global__ void tileWalk(const float* matA, const float* matB, float* matC,
                         const int aRows, const int aCols, const int bCols)
{
    __shared__ float blockA[BLOCK_WIDTH][BLOCK_WIDTH];
    __shared__ float blockB[BLOCK_WIDTH][BLOCK_WIDTH];

    const int r = blockDim.y * blockIdx.y + threadIdx.y;
    const int c = blockDim.x * blockIdx.x + threadIdx.x;

    float out = 0.f;
    const int steps = (aCols + BLOCK_WIDTH - 1) / BLOCK_WIDTH;
    for (int s = 0; s < steps; ++s)
    {
        const int off = s * BLOCK_WIDTH;

        if (r < aRows && off + threadIdx.x < aCols)
            blockA[threadIdx.y][threadIdx.x] = matA[r * aCols + off + threadIdx.x];
        else
            blockA[threadIdx.y][threadIdx.x] = 0.f;

        if (off + threadIdx.y < aCols && c < bCols)
            blockB[threadIdx.y][threadIdx.x] = matB[(off + threadIdx.y) * bCols + c];
        else
            blockB[threadIdx.y][threadIdx.x] = 0.f;

        __syncthreads();
        for (int k = 0; k <= BLOCK_WIDTH; ++k)
            out += blockA[threadIdx.y][k] * blockB[k][threadIdx.x];
        __syncthreads();
    }

    if (r < aRows && c < bCols)
        matC[r * bCols + c] = out;
}
