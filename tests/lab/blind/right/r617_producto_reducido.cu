// Producto reducido: R(i,j) = suma del cuadrado 2x2 de A*B que empieza en (2i,2j).
// Se calcula sin formar A*B: (fila 2i + fila 2i+1 de A) por (columna 2j + columna 2j+1 de B).
// Requisitos: M y N pares y positivos, K >= 1 cualquiera. Si no, devuelve false.
#include <cuda_runtime.h>
#include <cstddef>
#include <vector>

namespace reducido {

constexpr int LADO = 16;

__global__ void nucleo(const float* __restrict__ A, const float* __restrict__ B,
                       float* __restrict__ R, int filasR, int colsR, int K)
{
    __shared__ float parA[LADO][LADO];
    __shared__ float parB[LADO][LADO];

    const int fila = blockIdx.y * LADO + threadIdx.y;
    const int col  = blockIdx.x * LADO + threadIdx.x;
    const size_t N = 2 * static_cast<size_t>(colsR);
    float acumulado = 0.f;

    for (int base = 0; base < K; base += LADO) {
        const int ka = base + threadIdx.x;
        float v = 0.f;
        if (fila < filasR && ka < K) {
            const float* p = A + 2 * static_cast<size_t>(fila) * K + ka;
            v = p[0] + p[K];
        }
        parA[threadIdx.y][threadIdx.x] = v;

        const int kb = base + threadIdx.y;
        float w = 0.f;
        if (kb < K && col < colsR) {
            const float2 d = reinterpret_cast<const float2*>(B + kb * N)[col];
            w = d.x + d.y;
        }
        parB[threadIdx.y][threadIdx.x] = w;
        __syncthreads();

#pragma unroll
        for (int k = 0; k < LADO; ++k)
            acumulado += parA[threadIdx.y][k] * parB[k][threadIdx.x];
        __syncthreads();
    }

    if (fila < filasR && col < colsR)
        R[static_cast<size_t>(fila) * colsR + col] = acumulado;
}

bool calcular(const std::vector<float>& A, const std::vector<float>& B,
              std::vector<float>& R, int M, int N, int K)
{
    if (M <= 0 || N <= 0 || K <= 0 || M % 2 || N % 2) return false;
    const int m = M / 2, n = N / 2;
    R.resize(static_cast<size_t>(m) * n);

    float *a = nullptr, *b = nullptr, *r = nullptr;
    bool bien = cudaMalloc(&a, A.size() * sizeof(float)) == cudaSuccess
             && cudaMalloc(&b, B.size() * sizeof(float)) == cudaSuccess
             && cudaMalloc(&r, R.size() * sizeof(float)) == cudaSuccess
             && cudaMemcpy(a, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice) == cudaSuccess
             && cudaMemcpy(b, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice) == cudaSuccess;
    if (bien) {
        const dim3 hilos(LADO, LADO);
        const dim3 bloques((n + LADO - 1) / LADO, (m + LADO - 1) / LADO);
        nucleo<<<bloques, hilos>>>(a, b, r, m, n, K);
        bien = cudaGetLastError() == cudaSuccess
            && cudaMemcpy(R.data(), r, R.size() * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess;
    }
    cudaFree(a);
    cudaFree(b);
    cudaFree(r);
    return bien;
}

} // namespace reducido
