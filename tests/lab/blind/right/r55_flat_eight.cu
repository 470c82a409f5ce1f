/* old style CUDA (we learned it from an old book) */
/* blocks are 8 wide and 32 high, grid has to cover hC rows and wC columns */

#define BX 8
#define BY 32

__global__ void matrixMul(float* C, float* A, float* B, int wA, int wB, int hA)
{
    /* B strip: 8 columns, 32 rows of it at once; A strip: 32 rows, 32 columns */
    __shared__ float As[BY * 32];
    __shared__ float Bs[32 * BX];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int r = __mul24(blockIdx.y, BY) + ty;
    int c = __mul24(blockIdx.x, BX) + tx;
    int k0, k, q;

    float Csub = 0;

    for (k0 = 0; k0 < wA; k0 += 32)
    {
        /* A: every thread loads 4 elements of its row */
        for (q = 0; q < 4; q++)
        {
            int kc = tx + q * BX;
            if ((r < hA) && (k0 + kc < wA))
                As[ty * 32 + kc] = A[r * wA + k0 + kc];
            else
                As[ty * 32 + kc] = 0.0f;
        }
        /* B: every thread loads one element */
        if ((k0 + ty < wA) && (c < wB))
            Bs[ty * BX + tx] = B[(k0 + ty) * wB + c];
        else
            Bs[ty * BX + tx] = 0.0f;

        __syncthreads();

        for (k = 0; k < 32; k++)
            Csub += As[ty * 32 + k] * Bs[k * BX + tx];

        __syncthreads();
    }

    if ((r < hA) && (c < wB))
        C[r * wB + c] = Csub;
}
