// Laboratorium 5 - iloczyn skalarny
// Każdy blok zapisuje swoją sumę częściową, reszta na CPU

template <typename T, unsigned ROZMIAR>
__global__ void iloczynSkalarny(const T *x, const T *y, T *czesciowe, unsigned n)
{
    __shared__ T pamiec[ROZMIAR];

    unsigned w = threadIdx.x;
    unsigned idx = blockIdx.x * ROZMIAR + w;
    unsigned krok = ROZMIAR * gridDim.x;

    T lokalna = T(0);
    while (idx < n) {
        lokalna += x[idx] * y[idx];
        idx += krok;
    }
    pamiec[w] = lokalna;
    __syncthreads();

    // redukcja drzewiasta
    for (unsigned p = ROZMIAR / 2; p > 0; p >>= 1) {
        if (w < p)
            pamiec[w] += pamiec[w + p];
    }

    if (w == 0)
        czesciowe[blockIdx.x] = pamiec[0];
}

float policz(const float *dx, const float *dy, unsigned n)
{
    const unsigned BLOKI = 64;
    float *dcz, hcz[BLOKI];
    cudaMalloc(&dcz, BLOKI * sizeof(float));
    iloczynSkalarny<float, 256><<<BLOKI, 256>>>(dx, dy, dcz, n);
    cudaMemcpy(hcz, dcz, BLOKI * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(dcz);

    float suma = 0;
    for (unsigned i = 0; i < BLOKI; i++)
        suma += hcz[i];
    return suma;
}
