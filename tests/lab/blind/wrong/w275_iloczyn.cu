// Iloczyn macierzy z kafelkami - laboratorium nr 5
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

template <int K_ROZM>
__global__ void iloczyn(const float *a, const float *b, float *c, int w, int s, int n)
{
    // c[w][s] = a[w][n] * b[n][s]
    __shared__ float ka[K_ROZM][K_ROZM];
    __shared__ float kb[K_ROZM][K_ROZM];

    const int wiersz  = blockIdx.y * K_ROZM + threadIdx.y;
    const int kolumna = blockIdx.x * K_ROZM + threadIdx.x;

    // wątki poza macierzą nie mają nic do roboty
    if (wiersz >= w || kolumna >= s)
        return;

    float suma = 0.0f;
    for (int p = 0; p < n; p += K_ROZM) {
        float va = 0.0f, vb = 0.0f;
        if (p + threadIdx.x < n) va = a[wiersz * n + p + threadIdx.x];
        if (p + threadIdx.y < n) vb = b[(p + threadIdx.y) * s + kolumna];
        ka[threadIdx.y][threadIdx.x] = va;
        kb[threadIdx.y][threadIdx.x] = vb;
        __syncthreads();
        for (int i = 0; i < K_ROZM; ++i)
            suma += ka[threadIdx.y][i] * kb[i][threadIdx.x];
        __syncthreads();
    }
    c[wiersz * s + kolumna] = suma;
}

int main()
{
    const int w = 70, s = 90, n = 200;
    const int R = 16;
    std::vector<float> a(w * n), b(n * s), c(w * s, 0.0f);
    for (size_t i = 0; i < a.size(); ++i) a[i] = 1.0f + (i % 6);
    for (size_t i = 0; i < b.size(); ++i) b[i] = 2.0f - (i % 5) * 0.25f;

    float *da = nullptr, *db = nullptr, *dc = nullptr;
    cudaMalloc(&da, a.size() * sizeof(float));
    cudaMalloc(&db, b.size() * sizeof(float));
    cudaMalloc(&dc, c.size() * sizeof(float));
    cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 blok(R, R), siatka((s + R - 1) / R, (w + R - 1) / R);
    iloczyn<R><<<siatka, blok>>>(da, db, dc, w, s, n);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        printf("blad jadra\n");
        return 1;
    }
    cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int zle = 0;
    for (int i = 0; i < w; ++i)
        for (int j = 0; j < s; ++j) {
            float r = 0;
            for (int k = 0; k < n; ++k) r += a[i * n + k] * b[k * s + j];
            if (std::fabs(r - c[i * s + j]) > 1e-2f) ++zle;
        }
    printf("zle elementy: %d\n", zle);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return zle != 0;
}
