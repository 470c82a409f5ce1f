// Reduced product with a block of (bx, by) threads and inner depth kd.
// Dynamic shared memory: (by * kd + kd * bx) * sizeof(float) bytes.
// The last row / column of an odd m / n takes no part (C is m/2 x n/2, rounded down).
// grid: (ceil((n/2)/bx), ceil((m/2)/by))
__global__ void reducedDyn(const float *__restrict__ A, const float *__restrict__ B,
                           float *__restrict__ C, int m, int n, int p, int kd)
{
    extern __shared__ float buf[];
    const int bx = blockDim.x, by = blockDim.y;
    float *sa = buf;              // by x kd
    float *sb = buf + by * kd;    // kd x bx

    const int m2 = m / 2, n2 = n / 2;
    const int i0 = blockIdx.y * by, j0 = blockIdx.x * bx;
    const int lin = threadIdx.y * bx + threadIdx.x;
    const int nth = bx * by;
    float acc = 0.0f;

    for (int k0 = 0; k0 < p; k0 += kd) {
        for (int e = lin; e < by * kd; e += nth) {
            int i = i0 + e / kd, k = k0 + e % kd;
            float v = 0.0f;
            if (i < m2 && k < p) v = A[2 * i * p + k] + A[(2 * i + 1) * p + k];
            sa[e] = v;
        }
        for (int e = lin; e < kd * bx; e += nth) {
            int k = k0 + e / bx, j = j0 + e % bx;
            float v = 0.0f;
            if (k < p && j < n2) v = B[k * n + 2 * j] + B[k * n + 2 * j + 1];
            sb[e] = v;
        }
        __syncthreads();
        for (int k = 0; k < kd; ++k)
            acc += sa[threadIdx.y * kd + k] * sb[k * bx + threadIdx.x];
        __syncthreads();
    }

    const int i = i0 + threadIdx.y, j = j0 + threadIdx.x;
    if (i < m2 && j < n2) C[i * n2 + j] = acc;
}
