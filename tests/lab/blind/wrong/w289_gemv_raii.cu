// y = A x (doppelte Genauigkeit), ein Block pro Zeile.
// Kleine RAII-Klasse für Gerätespeicher.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <vector>

#define PRUEFE(e) if ((e) != cudaSuccess) throw std::runtime_error("CUDA-Fehler")

class Puffer {
    double *ptr_ = nullptr;
    size_t n_ = 0;
public:
    explicit Puffer(size_t n) : n_(n) { PRUEFE(cudaMalloc(&ptr_, n * sizeof(double))); }
    ~Puffer() { cudaFree(ptr_); }
    Puffer(const Puffer &) = delete;
    Puffer &operator=(const Puffer &) = delete;

    void hochladen(const double *h)
    {
        PRUEFE(cudaMemcpy(ptr_, h, n_ * sizeof(float), cudaMemcpyHostToDevice));
    }
    void herunterladen(double *h) const
    {
        PRUEFE(cudaMemcpy(h, ptr_, n_ * sizeof(double), cudaMemcpyDeviceToHost));
    }
    operator double *() { return ptr_; }
};

template <int THREADS>
__global__ void gemvZeile(const double *A, const double *x, double *y, int zeilen, int spalten)
{
    __shared__ double teil[THREADS];
    const int z = blockIdx.x;
    if (z >= zeilen) return;          // gilt für den ganzen Block

    double s = 0;
    for (int c = threadIdx.x; c < spalten; c += THREADS)
        s += A[(size_t)z * spalten + c] * x[c];
    teil[threadIdx.x] = s;
    __syncthreads();

    for (int h = THREADS / 2; h > 0; h /= 2) {
        if (threadIdx.x < h) teil[threadIdx.x] += teil[threadIdx.x + h];
        __syncthreads();
    }
    if (threadIdx.x == 0) y[z] = teil[0];
}

int main()
{
    try {
        const int zeilen = 600, spalten = 451;
        std::vector<double> A((size_t)zeilen * spalten), x(spalten), y(zeilen);
        for (size_t i = 0; i < A.size(); ++i) A[i] = 1.0 / (1.0 + i % 97);
        for (int i = 0; i < spalten; ++i) x[i] = 1.0 + 0.5 * (i % 3);

        Puffer dA(A.size()), dx(x.size()), dy(y.size());
        dA.hochladen(A.data());
        dx.hochladen(x.data());
        gemvZeile<128><<<zeilen, 128>>>(dA, dx, dy, zeilen, spalten);
        PRUEFE(cudaGetLastError());
        dy.herunterladen(y.data());

        int falsch = 0;
        for (int z = 0; z < zeilen; ++z) {
            double s = 0;
            for (int c = 0; c < spalten; ++c) s += A[(size_t)z * spalten + c] * x[c];
            if (std::fabs(s - y[z]) > 1e-9 * std::fabs(s)) ++falsch;
        }
        std::printf("%d von %d Zeilen falsch\n", falsch, zeilen);
        return falsch ? 1 : 0;
    } catch (const std::exception &e) {
        std::printf("%s\n", e.what());
        return 2;
    }
}
