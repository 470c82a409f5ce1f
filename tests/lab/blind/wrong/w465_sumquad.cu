/* reduced matrix product, one result per thread, block 32 x 4
   rows, cols even; inner anything
   grid: x = ceil((cols/2) / 32), y = ceil((rows/2) / 4)            */
#define NX 32
#define NY 4

__global__ void sumQuad(const float *A, const float *B, float *C, int rows, int inner, int cols)
{
    __shared__ float rowPair[NY][NX];
    __shared__ float colPair[NX][NX];
    int i = blockIdx.y * NY + threadIdx.y;
    int j = blockIdx.x * NX + threadIdx.x;
    bool rowOk = 2 * i + 1 < rows;
    bool colOk = 2 * j + 1 < cols;
    float s = 0;

    for (int k0 = 0; k0 < inner; k0 += NX) {
        int k = k0 + threadIdx.x;
        rowPair[threadIdx.y][threadIdx.x] =
            rowOk && k < inner ? A[2 * i * inner + k] + A[(2 * i + 1) * inner + k] : 0;
        for (int d = threadIdx.y; d < NX; d += NY) {
            const float *b = B + (k0 + d) * cols + 2 * j;
            colPair[d][threadIdx.x] = colOk && k0 + d < inner ? b[0] + b[1] : 0;
        }
        __syncthreads();
        for (int d = 0; d < NX; d++)
            s += rowPair[threadIdx.y][d] * colPair[d][threadIdx.x];
        __syncthreads();
    }

    if (rowOk && colOk)
        C[i * cols + j] = s;
}
