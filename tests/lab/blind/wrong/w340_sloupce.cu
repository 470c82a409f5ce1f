// C = A * B, A: m x k, B: k x n, C: m x n, po radcich, libovolne rozmery.
// Kazde vlakno pocita NA_VLAKNO sousednich sloupcu jednoho radku.
//
// Spusteni:
//   dim3 vlakna(16, 16);
//   dim3 bloky((n + 63) / 64, (m + 15) / 16);
//   nasob<<<bloky, vlakna>>>(A, B, C, m, n, k);

constexpr int D = 16;
constexpr int NA_VLAKNO = 4;

__global__ void nasob(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float sA[D][D];
    __shared__ float sB[D][D * NA_VLAKNO];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int radek = blockIdx.y * D + ty;
    const int prvni = (blockIdx.x * D + tx) * NA_VLAKNO;   // prvni sloupec vlakna

    float v[NA_VLAKNO] = {0.0f, 0.0f, 0.0f, 0.0f};

    for (int p = 0; p < k; p += D) {
        sA[ty][tx] = (radek < m && p + tx < k) ? A[radek * k + p + tx] : 0.0f;
        for (int s = 0; s < NA_VLAKNO; s++) {
            bool uvnitr = p + ty < k && prvni + s < n;
            sB[ty][tx * NA_VLAKNO + s] = uvnitr ? B[(p + ty) * n + prvni + s] : 0.0f;
        }
        __syncthreads();

        for (int i = 0; i < D; i++) {
            const float a = sA[ty][i];
            for (int s = 0; s < NA_VLAKNO; s++)
                v[s] += a * sB[i][tx * NA_VLAKNO + s];
        }
        __syncthreads();
    }

    if (radek < m && prvni < n) {
        for (int s = 0; s < NA_VLAKNO; s++)
            C[radek * n + prvni + s] = v[s];
    }
}
