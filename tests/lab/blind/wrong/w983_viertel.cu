// Reduziertes Produkt: A (2m x k), B (k x 2n), C (m x n), Groessen beliebig
// C(i,j) = Summe des 2x2-Quadrats von A*B bei (2i, 2j)
#include <cuda_runtime.h>
#define B_X 16
#define B_Y 16

__global__ void reduziert(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float oben[B_Y][16];    // Zeile 2i
    __shared__ float unten[B_Y][16];   // Zeile 2i+1
    __shared__ float2 paar[16][B_X];   // Spalten 2j und 2j+1

    int x = threadIdx.x, y = threadIdx.y;
    int i = blockIdx.y * B_Y + y;
    int j = blockIdx.x * B_X + x;
    if (i >= m || j >= n) return;

    float s = 0.f;
    for (int d = 0; d < k; d += 16) {
        bool drin = d + x < k;
        oben[y][x]  = drin ? a[(2 * i) * k + d + x] : 0.f;
        unten[y][x] = drin ? a[(2 * i + 1) * k + d + x] : 0.f;

        float2 p = make_float2(0.f, 0.f);
        if (d + y < k) {
            p.x = b[(d + y) * 2 * n + 2 * j];
            p.y = b[(d + y) * 2 * n + 2 * j + 1];
        }
        paar[y][x] = p;
        __syncthreads();

        for (int q = 0; q < 16; q++) {
            float2 r = paar[q][x];
            s += oben[y][q] * r.x + oben[y][q] * r.y + unten[y][q] * r.x + unten[y][q] * r.y;
        }
        __syncthreads();
    }
    c[i * n + j] = s;
}

void los(const float *a, const float *b, float *c, int m, int n, int k)
{
    dim3 block(B_X, B_Y);
    dim3 gitter((n + B_X - 1) / B_X, (m + B_Y - 1) / B_Y);
    reduziert<<<gitter, block>>>(a, b, c, m, n, k);
}
