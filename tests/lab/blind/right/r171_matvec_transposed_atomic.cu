// y = A^T * x   with A stored row-major, rows x cols.
// Exercise 9: a block handles 128 columns and a strip of STRIP rows, the strips
// are combined with atomicAdd.  clearVector has to run first.
//
//   clearVector<<<(cols+255)/256, 256>>>(y, cols);
//   dim3 grid((cols + 127)/128, (rows + STRIP - 1)/STRIP);
//   matTVec<<<grid, 128>>>(A, x, y, rows, cols);

enum { STRIP = 64 };

__global__ void clearVector(float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = 0.0f;
}

__global__ void matTVec(const float *A, const float *x, float *y, int rows, int cols)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int first = blockIdx.y * STRIP;
    int last = min(first + STRIP, rows);      // one past the end

    // x of this strip is used by everybody
    __shared__ float xs[STRIP];
    for (int r = first + threadIdx.x; r < last; r += blockDim.x)
        xs[r - first] = x[r];
    __syncthreads();

    if (j < cols) {
        float part = 0.0f;
        for (int r = first; r < last; r++)
            part += A[r * cols + j] * xs[r - first];
        atomicAdd(&y[j], part);
    }
}
