// y = A * x där A lagras kolumnvis (m rader, n kolumner, ledande dimension lda >= m)
// En tråd per rad; x läses in i delat minne, BLOCK element åt gången.
// m, n <= 1 000 000

#define BLOCK 256

__global__ void gemvKolumn(int m, int n, const float *A, int lda,
                           const float *x, float *y)
{
    __shared__ float xs[BLOCK];

    int rad = blockIdx.x * BLOCK + threadIdx.x;
    float s = 0.0f;

    for (int j0 = 0; j0 < n; j0 += BLOCK)
    {
        int antal = min(BLOCK, n - j0);

        if (threadIdx.x < antal)
            xs[threadIdx.x] = x[j0 + threadIdx.x];
        __syncthreads();

        if (rad < m)
        {
            // grannrader ligger bredvid varandra i minnet
            const float *a = A + (size_t)j0 * lda + rad;
            for (int j = 0; j < antal; ++j)
            {
                s += *a * xs[j];
                a += lda;
            }
        }
        __syncthreads();
    }

    if (rad < m)
        y[rad] = s;
}
