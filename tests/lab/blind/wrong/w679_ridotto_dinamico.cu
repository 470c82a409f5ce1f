// Prodotto ridotto (somma a coppie di righe di A e di colonne di B), versione
// con memoria condivisa dinamica. Matrici per righe, senza padding.
//   A: 2m x k    B: k x 2n    C: m x n        (m, n, k qualsiasi)
#include <cuda_runtime.h>

#define LATO 16

__global__ void riduci(const float *A, const float *B, float *C, int m, int n, int k)
{
    extern __shared__ float mem[];
    float *ta = mem;                       // 2*LATO righe, LATO colonne
    float *tb = mem + 2 * LATO * LATO;     // LATO righe, 2*LATO colonne

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i = blockIdx.y * LATO + ty;
    const int j = blockIdx.x * LATO + tx;
    const int righe = 2 * m, colonne = 2 * n;

    float c = 0.f;
    const int tasselli = (n + LATO - 1) / LATO;

    for (int t = 0; t < tasselli; ++t) {
        // due righe di A e due colonne di B per ogni thread
        for (int h = 0; h < 2; ++h) {
            int r = 2 * i + h, l = t * LATO + tx;
            ta[(2 * ty + h) * LATO + tx] = (r < righe && l < k) ? A[(size_t)r * k + l] : 0.f;

            int s = 2 * j + h, q = t * LATO + ty;
            tb[ty * 2 * LATO + 2 * tx + h] = (q < k && s < colonne) ? B[(size_t)q * colonne + s] : 0.f;
        }
        __syncthreads();

        for (int l = 0; l < LATO; ++l) {
            float a = ta[(2 * ty) * LATO + l] + ta[(2 * ty + 1) * LATO + l];
            float b = tb[l * 2 * LATO + 2 * tx] + tb[l * 2 * LATO + 2 * tx + 1];
            c += a * b;
        }
        __syncthreads();
    }

    if (i < m && j < n)
        C[(size_t)i * n + j] = c;
}

// i puntatori sono gia' sulla scheda
void prodottoRidotto(const float *dA, const float *dB, float *dC, int m, int n, int k)
{
    dim3 blocco(LATO, LATO);
    dim3 griglia((n + LATO - 1) / LATO, (m + LATO - 1) / LATO);
    size_t byte = 4 * LATO * LATO * sizeof(float);
    riduci<<<griglia, blocco, byte>>>(dA, dB, dC, m, n, k);
    cudaDeviceSynchronize();
}
