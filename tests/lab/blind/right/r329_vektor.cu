// y = alfa * A * x + beta * y        (A: sorok x oszlopok)
// Indítás: gemv<<<(sorok + 255) / 256, 256>>>(A, x, y, sorok, oszlopok, alfa, beta);

#define MERET 256

__global__ void gemv(const float *A, const float *x, float *y,
                     int sorok, int oszlopok, float alfa, float beta)
{
    __shared__ float xs[MERET];
    int sor = blockIdx.x * MERET + threadIdx.x;
    float ossz = 0.0f;

    for (int t = 0; t < oszlopok; t += MERET) {
        int hossz = min(MERET, oszlopok - t);   // az utolsó csempe rövidebb lehet
        if ((int)threadIdx.x < hossz)
            xs[threadIdx.x] = x[t + threadIdx.x];
        __syncthreads();

        if (sor < sorok) {
            const float *a = A + (size_t)sor * oszlopok + t;
            for (int k = 0; k < hossz; ++k)
                ossz += a[k] * xs[k];
        }
        __syncthreads();
    }

    if (sor < sorok)
        y[sor] = alfa * ossz + beta * y[sor];
}
