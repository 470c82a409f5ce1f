// Producto de matrices por lotes (strided batched), doble precisión:
//     C[b] = alfa * A[b] * B[b]^T          A[b]: M x K,  B[b]: N x K
// Un plano de bloques por lote (gridDim.z); si hay más lotes que planos,
// cada plano recorre varios.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

static void comprobar(cudaError_t e)
{
    if (e != cudaSuccess) {
        std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(e));
        std::exit(EXIT_FAILURE);
    }
}

template <class T>
class Dispositivo {
public:
    explicit Dispositivo(size_t n) : n_(n) { comprobar(cudaMalloc(&p_, n * sizeof(T))); }
    ~Dispositivo() { cudaFree(p_); }
    Dispositivo(const Dispositivo &) = delete;
    Dispositivo &operator=(const Dispositivo &) = delete;

    void subir(const std::vector<T> &v)
    {
        comprobar(cudaMemcpy(p_, v.data(), n_ * sizeof(T), cudaMemcpyHostToDevice));
    }
    void bajar(std::vector<T> &v) const
    {
        comprobar(cudaMemcpy(v.data(), p_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
    }
    T *get() { return p_; }

private:
    T *p_ = nullptr;
    size_t n_;
};

constexpr int L = 16;

__global__ void lotes_abt(double alfa, const double *A, const double *B, double *C,
                          int M, int N, int K, int lotes)
{
    __shared__ double a[L][L + 1];
    __shared__ double b[L][L + 1];

    const int x = threadIdx.x, y = threadIdx.y;
    const int fila = blockIdx.y * L + y;
    const int col  = blockIdx.x * L + x;
    const int filaB = blockIdx.x * L + y;      // fila de B que carga este hilo

    for (int lote = blockIdx.z; lote < lotes; lote += gridDim.z) {
        const double *Al = A + (size_t)lote * M * K;
        const double *Bl = B + (size_t)lote * N * K;
        double suma = 0.0;

        for (int k0 = 0; k0 < K; k0 += L) {
            const int k = k0 + x;
            a[y][x] = (fila < M && k < K) ? Al[(size_t)fila * K + k] : 0.0;
            b[y][x] = (filaB < N && k < K) ? Bl[(size_t)filaB * K + k] : 0.0;
            __syncthreads();
            for (int i = 0; i < L; ++i)
                suma += a[y][i] * b[x][i];
            __syncthreads();
        }
        if (fila < M && col < N)
            C[(size_t)lote * M * N + (size_t)fila * N + col] = alfa * suma;
    }
}

int main()
{
    const int M = 45, N = 37, K = 53, lotes = 11;
    const double alfa = 0.75;

    std::vector<double> A((size_t)lotes * M * K), B((size_t)lotes * N * K), C((size_t)lotes * M * N);
    auto llenar = [](std::vector<double> &v) {
        for (auto &e : v) e = std::rand() / (double)RAND_MAX - 0.5;
    };
    llenar(A);
    llenar(B);

    Dispositivo<double> dA(A.size()), dB(B.size()), dC(C.size());
    dA.subir(A);
    dB.subir(B);

    dim3 bloque(L, L);
    dim3 malla((N + L - 1) / L, (M + L - 1) / L, std::min(lotes, 8));
    lotes_abt<<<malla, bloque>>>(alfa, dA.get(), dB.get(), dC.get(), M, N, K, lotes);
    comprobar(cudaGetLastError());
    dC.bajar(C);

    double err = 0;
    for (int l = 0; l < lotes; ++l)
        for (int i = 0; i < M; ++i)
            for (int j = 0; j < N; ++j) {
                double s = 0;
                for (int k = 0; k < K; ++k)
                    s += A[((size_t)l * M + i) * K + k] * B[((size_t)l * N + j) * K + k];
                err = std::max(err, std::fabs(alfa * s - C[((size_t)l * M + i) * N + j]));
            }
    std::printf("error máximo: %g\n", err);
    return err < 1e-10 ? 0 : 1;
}
