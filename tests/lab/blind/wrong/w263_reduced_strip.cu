// R = 2x2 block sums of A*B in double. A: m x k, B: k x n, m and n even.
// A thread handles four neighbouring columns of R.
//
// launch with  dim3 block(16, 16), grid(ceil((n/2) / 64), ceil((m/2) / 16))

const int PER_THREAD = 4;

__global__ void reducedStrip(const double *A, const double *B, double *R,
                             const int m, const int k, const int n)
{
    const int h = m / 2;
    const int w = n / 2;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * PER_THREAD;

    if (i >= h) return;

    const double *upper = A + 2LL * i * k;
    const double *lower = upper + k;
    double sum = 0.0;

    for (int j = first; j < first + PER_THREAD && j < w; j++)
    {
        for (int p = 0; p < k; p++)
        {
            const double *b = B + (long long)p * n + 2 * j;
            sum += (upper[p] + lower[p]) * (b[0] + b[1]);
        }
        R[(long long)i * w + j] = sum;
    }
}
