// Producto reducido de matrices enteras; un hilo por elemento de C.
// uso: rmm [m] [k] [n]   (m y n pares)
#include <cuda_runtime.h>
#include <iostream>
#include <string>
#include <vector>

__global__ void rmmEnteros(const int *A, const int *B, long long *C, int m, int k, int n)
{
    int fila = blockIdx.y * blockDim.y + threadIdx.y;
    int columna = blockIdx.x * blockDim.x + threadIdx.x;
    if (fila >= m / 2 || columna >= n / 2) return;

    const int *a0 = A + (size_t)(2 * fila) * k;
    const int *a1 = a0 + k;
    long long suma = 0;
    for (int p = 0; p < k; ++p) {
        const int *b = B + (size_t)p * n + 2 * columna;
        suma += (long long)(a0[p] + a1[p]) * (b[0] + b[1]);
    }
    C[(size_t)fila * (n / 2) + columna] = suma;
}

static void revisar(cudaError_t e, const char *donde)
{
    if (e != cudaSuccess) {
        std::cerr << donde << ": " << cudaGetErrorString(e) << std::endl;
        std::exit(1);
    }
}

int main(int argc, char *argv[])
{
    int m = 64, k = 100, n = 90;
    if (argc == 4) {
        m = std::stoi(argv[1]);
        k = std::stoi(argv[2]);
        n = std::stoi(argv[3]);
    }
    if (m < 2 || n < 2 || k < 1 || m % 2 || n % 2) {
        std::cerr << "m y n deben ser pares y positivos\n";
        return 1;
    }
    std::vector<int> A((size_t)m * k), B((size_t)k * n);
    std::vector<long long> C((size_t)(m / 2) * (n / 2));
    for (size_t i = 0; i < A.size(); ++i) A[i] = int(i % 1001) - 500;
    for (size_t i = 0; i < B.size(); ++i) B[i] = int(i % 777) - 300;

    int *dA, *dB;
    long long *dC;
    revisar(cudaMalloc(&dA, A.size() * sizeof(int)), "malloc A");
    revisar(cudaMalloc(&dB, B.size() * sizeof(int)), "malloc B");
    revisar(cudaMalloc(&dC, C.size() * sizeof(long long)), "malloc C");
    revisar(cudaMemcpy(dA, A.data(), A.size() * sizeof(int), cudaMemcpyHostToDevice), "copia A");
    revisar(cudaMemcpy(dB, B.data(), B.size() * sizeof(int), cudaMemcpyHostToDevice), "copia B");

    dim3 hilos(32, 8);
    dim3 bloques((n / 2 + hilos.x - 1) / hilos.x, (m / 2 + hilos.y - 1) / hilos.y);
    rmmEnteros<<<bloques, hilos>>>(dA, dB, dC, m, k, n);
    revisar(cudaGetLastError(), "kernel");
    revisar(cudaMemcpy(C.data(), dC, C.size() * sizeof(long long), cudaMemcpyDeviceToHost), "copia C");

    size_t malos = 0;
    for (int i = 0; i < m / 2; ++i)
        for (int j = 0; j < n / 2; ++j) {
            long long s = 0;
            for (int p = 0; p < k; ++p)
                for (int q = 0; q < 4; ++q)
                    s += (long long)A[(size_t)(2 * i + q / 2) * k + p] * B[(size_t)p * n + 2 * j + q % 2];
            malos += s != C[(size_t)i * (n / 2) + j];
        }
    std::cout << (malos ? "mal: " : "bien: ") << malos << " diferencias\n";
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return malos != 0;
}
