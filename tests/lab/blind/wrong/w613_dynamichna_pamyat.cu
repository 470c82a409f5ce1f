// Практична робота 5: зведений добуток матриць, динамічна спільна пам'ять
// Елемент результату - сума квадрата 2x2 добутку A*B.
// M, N парні, K довільне. Розмір плитки вибирається під час виконання: 8, 16 або 32.
#include <cuda_runtime.h>
#include <cstdio>

__global__ void zvedenyi(const float *A, const float *B, float *C, int M, int N, int K, int plytka)
{
    extern __shared__ float pamyat[];
    float *pa = pamyat;
    float *pb = pa + plytka * plytka;

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int ryadok   = blockIdx.y * plytka + ty;
    int stovpets = blockIdx.x * plytka + tx;
    int m2 = M / 2, n2 = N / 2;

    float suma = 0.0f;
    for (int k0 = 0; k0 < K; k0 += plytka) {
        float a = 0.0f, b = 0.0f;
        if (ryadok < m2 && k0 + tx < K) {
            const float *pochatok = A + 2 * ryadok * K + k0 + tx;
            a = pochatok[0] + pochatok[K];
        }
        if (stovpets < n2 && k0 + ty < K) {
            const float *pochatok = B + (k0 + ty) * N + 2 * stovpets;
            b = pochatok[0] + pochatok[1];
        }
        pa[ty * plytka + tx] = a;
        pb[ty * plytka + tx] = b;
        __syncthreads();

        for (int i = 0; i < plytka; i++)
            suma += pa[ty * plytka + i] * pb[i * plytka + tx];
        __syncthreads();
    }

    if (ryadok < m2 && stovpets < n2)
        C[ryadok * n2 + stovpets] = suma;
}

// вказівники на пам'ять пристрою
int obchyslyty(const float *A, const float *B, float *C, int M, int N, int K, int plytka)
{
    if (M % 2 || N % 2) {
        fprintf(stderr, "M та N мають бути парними\n");
        return 1;
    }
    dim3 potoky(plytka, plytka);
    dim3 bloky((N / 2 + plytka - 1) / plytka, (M / 2 + plytka - 1) / plytka);
    size_t rozmir = plytka * plytka * sizeof(float);

    zvedenyi<<<bloky, potoky, rozmir>>>(A, B, C, M, N, K, plytka);
    cudaError_t kod = cudaGetLastError();
    if (kod == cudaSuccess)
        kod = cudaDeviceSynchronize();
    if (kod != cudaSuccess) {
        fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(kod));
        return 2;
    }
    return 0;
}
