// Redukovane nasobeni matic: R[i][j] = soucet ctverice prvku soucinu A*B.
// Uprava: (a0 + a1) * (b0 + b1), takze staci k nasobeni na jeden prvek R.
//
//   A: m x k, B: k x n, R: (m/2) x (n/2), vse po radcich
//   m a n jsou suda cisla, k je libovolne
//   blok: dim3(D, D)
//   mrizka: dim3((n/2 + D - 1) / D, (m/2 + D - 1) / D)

#define D 16

__global__ void rmm_dlazdice(const float *A, const float *B, float *R,
                             const int m, const int k, const int n)
{
    // dlazdice uz obsahuji sectene dvojice
    __shared__ float dvojiceA[D][D + 1];
    __shared__ float dvojiceB[D][D];

    const int vyska = m / 2;
    const int sirka = n / 2;

    const int i = blockIdx.y * D + threadIdx.y;
    const int j = blockIdx.x * D + threadIdx.x;

    float soucet = 0.0f;

    for (int p0 = 0; p0 < k; p0 += D)
    {
        // dva radky A nad sebou
        const int pa = p0 + threadIdx.x;
        float va = 0.0f;
        if (i < vyska && pa < k)
        {
            const float *radek = A + (size_t)(2 * i) * k;
            va = radek[pa] + radek[(size_t)k + pa];
        }
        dvojiceA[threadIdx.y][threadIdx.x] = va;

        // dva sloupce B vedle sebe
        const int pb = p0 + threadIdx.y;
        float vb = 0.0f;
        if (j < sirka && pb < k)
        {
            const float *radek = B + (size_t)pb * n;
            vb = radek[2 * j] + radek[2 * j + 1];
        }
        dvojiceB[threadIdx.y][threadIdx.x] = vb;

        __syncthreads();

        #pragma unroll
        for (int p = 0; p < D; ++p)
            soucet += dvojiceA[threadIdx.y][p] * dvojiceB[p][threadIdx.x];

        __syncthreads();
    }

    if (i < vyska && j < sirka)
        R[(size_t)i * sirka + j] = soucet;
}
