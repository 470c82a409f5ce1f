// First try (slow but it works): one thread computes a whole ROW of the result.
// 128 threads per block, one-dimensional; enough blocks for all n rows.

__global__ void rowwise(float *P, float *Q, float *R, int n, int m, int o)
{
    /* P is n*m, Q is m*o, R = P*Q is n*o */
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
    {
        int j, k;
        for (j = 0; j < o; j++)
        {
            float s = 0.0f;
            for (k = m - 1; k >= 0; k--)   // direction does not matter
                s += P[i * m + k] * Q[k * o + j];
            R[i * o + j] = s;
        }
    }
}
