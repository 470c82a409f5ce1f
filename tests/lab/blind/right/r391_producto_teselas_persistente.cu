// Práctica 4 - Producto de matrices por teselas: C = A * B
// A es M x K, B es K x N y C es M x N, todas guardadas por filas.
// La malla es 1-D: cada bloque va recorriendo teselas de C con paso gridDim.x,
// así que funciona con cualquier número de bloques.
// Dimensiones: cualquiera desde 1 hasta 2^30.
//
// Uso:  ./producto M N K
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define LADO 16

#define COMPROBAR(x)                                                        \
    do {                                                                    \
        cudaError_t err_ = (x);                                             \
        if (err_ != cudaSuccess) {                                          \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__,               \
                    cudaGetErrorString(err_));                              \
            exit(1);                                                        \
        }                                                                   \
    } while (0)

__global__ void productoTeselas(const float *A, const float *B, float *C,
                                int M, int N, int K)
{
    __shared__ float teselaA[LADO][LADO];
    __shared__ float teselaB[LADO][LADO];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int teselasPorFila = (N + LADO - 1) / LADO;
    const int teselasPorCol  = (M + LADO - 1) / LADO;
    const long long total = (long long)teselasPorFila * teselasPorCol;

    for (long long t = blockIdx.x; t < total; t += gridDim.x) {
        const int fila = (int)(t / teselasPorFila) * LADO + ty;
        const int col  = (int)(t % teselasPorFila) * LADO + tx;
        float suma = 0.0f;

        for (int k0 = 0; k0 < K; k0 += LADO) {
            // lo que cae fuera de la matriz entra como cero
            teselaA[ty][tx] = (fila < M && k0 + tx < K)
                                  ? A[(size_t)fila * K + k0 + tx] : 0.0f;
            teselaB[ty][tx] = (k0 + ty < K && col < N)
                                  ? B[(size_t)(k0 + ty) * N + col] : 0.0f;
            __syncthreads();

            for (int k = 0; k < LADO; ++k)
                suma += teselaA[ty][k] * teselaB[k][tx];
            __syncthreads();   // nadie pisa la tesela siguiente antes de tiempo
        }

        if (fila < M && col < N)
            C[(size_t)fila * N + col] = suma;
    }
}

static void productoCPU(const float *A, const float *B, float *C,
                        int M, int N, int K)
{
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            double s = 0.0;
            for (int k = 0; k < K; ++k)
                s += (double)A[(size_t)i * K + k] * B[(size_t)k * N + j];
            C[(size_t)i * N + j] = (float)s;
        }
}

int main(int argc, char **argv)
{
    const int M = argc > 1 ? atoi(argv[1]) : 130;
    const int N = argc > 2 ? atoi(argv[2]) : 75;
    const int K = argc > 3 ? atoi(argv[3]) : 201;
    if (M < 1 || N < 1 || K < 1) { fprintf(stderr, "dimensiones >= 1\n"); return 1; }

    std::vector<float> hA((size_t)M * K), hB((size_t)K * N), hC((size_t)M * N), ref((size_t)M * N);
    srand(2024);
    for (auto &v : hA) v = (rand() % 2001 - 1000) / 1000.0f;
    for (auto &v : hB) v = (rand() % 2001 - 1000) / 1000.0f;

    float *dA, *dB, *dC;
    COMPROBAR(cudaMalloc(&dA, hA.size() * sizeof(float)));
    COMPROBAR(cudaMalloc(&dB, hB.size() * sizeof(float)));
    COMPROBAR(cudaMalloc(&dC, hC.size() * sizeof(float)));
    COMPROBAR(cudaMemcpy(dA, hA.data(), hA.size() * sizeof(float), cudaMemcpyHostToDevice));
    COMPROBAR(cudaMemcpy(dB, hB.data(), hB.size() * sizeof(float), cudaMemcpyHostToDevice));

    const dim3 hilos(LADO, LADO);
    const int bloques = 24;          // pocos a propósito: el bucle del kernel cubre el resto
    productoTeselas<<<bloques, hilos>>>(dA, dB, dC, M, N, K);
    COMPROBAR(cudaGetLastError());
    COMPROBAR(cudaMemcpy(hC.data(), dC, hC.size() * sizeof(float), cudaMemcpyDeviceToHost));

    productoCPU(hA.data(), hB.data(), ref.data(), M, N, K);
    double peor = 0.0;
    for (size_t i = 0; i < ref.size(); ++i)
        peor = fmax(peor, fabs((double)hC[i] - ref[i]));
    printf("error maximo = %g  %s\n", peor, peor < 1e-5 * K + 1e-5 ? "BIEN" : "MAL");

    COMPROBAR(cudaFree(dA));
    COMPROBAR(cudaFree(dB));
    COMPROBAR(cudaFree(dC));
    return 0;
}
