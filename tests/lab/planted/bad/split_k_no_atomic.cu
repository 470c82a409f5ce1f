// Matrix multiplication with k split among the blocks of a column in z; C starts as 0.
// C (m, n) = A (m, k) * B (k, n); any sizes.
// Blocks add into the same element of C without knowing of each other.

extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int part = (k + gridDim.z - 1) / gridDim.z;
    int first = blockIdx.z * part;
    int last = min(first + part, k);

    if (row < m && col < n) {
        float sum = 0;
        for (int p = first; p < last; ++p)
            sum += A[row * k + p] * B[p * n + col];
        C[row * n + col] += sum;  // planted: race
    }
}
