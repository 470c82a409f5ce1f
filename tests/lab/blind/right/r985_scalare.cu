// prodotto scalare con un solo blocco; funziona con qualunque numero di thread
// lancio: scalare<<<1, nt, nt * sizeof(float)>>>(x, y, n, risultato);
__global__ void scalare(const float *x, const float *y, int n, float *risultato)
{
    extern __shared__ float s[];
    int t = threadIdx.x;

    float mio = 0.f;
    for (int i = t; i < n; i += blockDim.x)
        mio += x[i] * y[i];
    s[t] = mio;
    __syncthreads();

    int attivi = blockDim.x;
    while (attivi > 1) {
        int meta = (attivi + 1) / 2;      // se dispari, quello in mezzo resta fermo
        if (t < attivi / 2)
            s[t] += s[t + meta];
        __syncthreads();
        attivi = meta;
    }

    if (t == 0) *risultato = s[0];
}
