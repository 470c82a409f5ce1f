// Middle part of the homework skeleton (host part was given).

struct MatDims {
    int rows;      // rows of the result
    int cols;      // columns of the result
    int depth;     // common dimension
    int pitchA;    // all pitches are in elements, not bytes
    int pitchB;
    int pitchC;
};

// Threads per block: (32, 8). The grid has one block for each 32 columns and
// each 8 rows of the result (rounded up).
__global__ void mul_pitched(MatDims d, const float* A, const float* B, float* C)
{
    const int c = blockIdx.x * 32 + threadIdx.x;
    const int r = blockIdx.y * 8 + threadIdx.y;

    // part of A that is needed by this block: 8 rows, 32 values of k
    __shared__ float a_part[8][32];

    float sum = 0.0f;
    for (int k0 = 0; k0 < d.depth; k0 += 32) {
        float v = 0.0f;
        if (r < d.rows && k0 + threadIdx.x < d.depth)
            v = A[r * d.pitchA + k0 + threadIdx.x];
        a_part[threadIdx.y][threadIdx.x] = v;
        __syncthreads();

        if (c < d.cols) {
            int kEnd = min(32, d.depth - k0);
            for (int k = 0; k < kEnd; ++k)
                sum += a_part[threadIdx.y][k] * B[(k0 + k) * d.pitchB + c];
        }
        __syncthreads();
    }

    if (r < d.rows && c < d.cols)
        C[r * d.pitchC + c] = sum;
}
