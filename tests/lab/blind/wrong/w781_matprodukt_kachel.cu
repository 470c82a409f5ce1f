// Übung 3: Matrixprodukt C = A * B, alle Matrizen zeilenweise gespeichert
// A: m x k, B: k x n, C: m x n, beliebige Größen von 1 bis 16384
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int KACHEL = 16;

__global__ void matProdukt(const float* __restrict__ a, const float* __restrict__ b,
                           float* __restrict__ c, int m, int n, int k)
{
    __shared__ float ka[KACHEL][KACHEL];
    __shared__ float kb[KACHEL][KACHEL];

    const int zl = threadIdx.y;
    const int sl = threadIdx.x;
    const int zeile  = blockIdx.y * KACHEL + zl;
    const int spalte = blockIdx.x * KACHEL + sl;

    float summe = 0.0f;
    for (int p = 0; p < k; p += KACHEL) {
        ka[zl][sl] = (zeile < m && p + sl < k) ? a[zeile * k + p + sl] : 0.0f;
        kb[zl][sl] = (p + zl < k && spalte < n) ? b[(p + zl) * n + spalte] : 0.0f;
        __syncthreads();

        for (int q = 0; q < KACHEL; ++q)
            summe += ka[zl][q] * kb[q][sl];
    }

    if (zeile < m && spalte < n)
        c[zeile * n + spalte] = summe;
}

int main(int argc, char** argv)
{
    const int m = argc > 1 ? atoi(argv[1]) : 500;
    const int n = argc > 2 ? atoi(argv[2]) : 300;
    const int k = argc > 3 ? atoi(argv[3]) : 700;

    std::vector<float> ha((size_t)m * k), hb((size_t)k * n), hc((size_t)m * n);
    for (auto& w : ha) w = (rand() % 9) - 4.0f;
    for (auto& w : hb) w = (rand() % 7) - 3.0f;

    float *da, *db, *dc;
    cudaMalloc(&da, ha.size() * sizeof(float));
    cudaMalloc(&db, hb.size() * sizeof(float));
    cudaMalloc(&dc, hc.size() * sizeof(float));
    cudaMemcpy(da, ha.data(), ha.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, hb.data(), hb.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(KACHEL, KACHEL);
    dim3 gitter((n + KACHEL - 1) / KACHEL, (m + KACHEL - 1) / KACHEL);
    matProdukt<<<gitter, block>>>(da, db, dc, m, n, k);

    cudaMemcpy(hc.data(), dc, hc.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("C[0] = %f, C[letztes] = %f\n", hc[0], hc[hc.size() - 1]);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return 0;
}
