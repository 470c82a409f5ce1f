// Reduced matmul with 1-D thread blocks; each thread makes two elements of C.
//
// outM, outN: size of C.  A has 2*outM rows and depth columns,
//                         B has depth rows and 2*outN columns.
// Works for every outM, outN, depth > 0.

template <typename T>
__device__ T pairOfRows(const T* A, int ld, int i, int k)
{
    return A[2 * i * ld + k] + A[(2 * i + 1) * ld + k];
}

template <typename T>
__device__ T pairOfCols(const T* B, int ld, int k, int j)
{
    return B[k * ld + 2 * j] + B[k * ld + 2 * j + 1];
}

template <typename T, int TILE>
__global__ void __launch_bounds__(TILE * TILE / 2)
reducedTwoOutputs(T* C, const T* A, const T* B, int outM, int outN, int depth)
{
    static_assert(TILE % 2 == 0, "two outputs per thread");
    constexpr int THREADS = TILE * TILE / 2;
    constexpr int HALF = TILE / 2;

    __shared__ T rowsOfA[TILE][TILE + 1];
    __shared__ T colsOfB[TILE][TILE + 1];

    const int tid = threadIdx.x;
    const int r   = tid / HALF;          // 0 .. TILE-1
    const int c   = tid % HALF;          // 0 .. HALF-1, second output at c + HALF
    const int i0  = blockIdx.y * TILE;
    const int j0  = blockIdx.x * TILE;

    T s0 = T(0), s1 = T(0);

    for (int k0 = 0; k0 < depth; k0 += TILE)
    {
        for (int e = tid; e < TILE * TILE; e += THREADS)
        {
            const int y = e / TILE, x = e % TILE;
            T va = T(0), vb = T(0);
            if (i0 + y < outM && k0 + x < depth)
                va = pairOfRows(A, depth, i0 + y, k0 + x);
            if (k0 + y < depth && j0 + x < outN)
                vb = pairOfCols(B, 2 * outN, k0 + y, j0 + x);
            rowsOfA[y][x] = va;
            colsOfB[y][x] = vb;
        }
        __syncthreads();

        for (int k = 0; k < TILE; ++k)
        {
            const T a = rowsOfA[r][k];
            s0 += a * colsOfB[k][c];
            s1 += a * colsOfB[k][c + HALF];
        }
        __syncthreads();
    }

    if (i0 + r < outM)
    {
        if (j0 + c < outN)        C[(i0 + r) * outN + j0 + c] = s0;
        if (j0 + c + HALF < outN) C[(i0 + r) * outN + j0 + c + HALF] = s1;
    }
}

void launchReducedFloat(float* C, const float* A, const float* B, int outM, int outN, int depth)
{
    const int TILE = 16;
    dim3 grid((outN + TILE - 1) / TILE, (outM + TILE - 1) / TILE);
    reducedTwoOutputs<float, TILE><<<grid, TILE * TILE / 2>>>(C, A, B, outM, outN, depth);
}

void launchReducedInt(int* C, const int* A, const int* B, int outM, int outN, int depth)
{
    const int TILE = 32;
    dim3 grid((outN + TILE - 1) / TILE, (outM + TILE - 1) / TILE);
    reducedTwoOutputs<int, TILE><<<grid, TILE * TILE / 2>>>(C, A, B, outM, outN, depth);
}
