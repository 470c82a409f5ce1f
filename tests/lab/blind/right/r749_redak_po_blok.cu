// y = A * x, jedan blok racuna jedan redak (i dalje sljedece u koraku mreze).
//
// A je redaka x stupaca, spremljena po retcima. Broj stupaca mora biti djeljiv
// s 4, a A i x poravnati na 16 bajtova (cudaMalloc to daje), jer se cita float4.
// Broj redaka je proizvoljan.
//
// Pokretanje: matrica_vektor<<<brojBlokova, NITI>>>(A, x, y, redaka, stupaca);

#define NITI 128

__global__ void matrica_vektor(const float *A, const float *x, float *y,
                               int redaka, int stupaca)
{
    __shared__ float zbroj[NITI];

    const int cetvorki = stupaca / 4;
    const float4 *x4 = (const float4 *)x;
    const int nit = threadIdx.x;

    // granica petlje ista je za sve niti bloka
    for (int r = blockIdx.x; r < redaka; r += gridDim.x)
    {
        const float4 *redak = (const float4 *)(A + (size_t)r * stupaca);

        float s = 0.0f;
        for (int c = nit; c < cetvorki; c += NITI)
        {
            float4 a = redak[c];
            float4 b = x4[c];
            s += a.x * b.x;
            s += a.y * b.y;
            s += a.z * b.z;
            s += a.w * b.w;
        }
        zbroj[nit] = s;
        __syncthreads();

        for (int pola = NITI / 2; pola >= 1; pola = pola / 2)
        {
            if (nit < pola)
                zbroj[nit] += zbroj[nit + pola];
            __syncthreads();
        }

        // nit 0 jedina cita i kasnije sama pise zbroj[0],
        // a zadnja barijera odvaja ostale od iduceg retka
        if (nit == 0)
            y[r] = zbroj[0];
    }
}
