// Esercizio 2: prodotto scalare in doppia precisione, due kernel
//  1) ogni blocco calcola una somma parziale (grid-stride + shuffle)
//  2) un solo blocco somma i parziali
#include <iostream>
#include <vector>
#include <cmath>
#include <algorithm>
#include <stdexcept>
#include <cuda_runtime.h>

template <typename T>
class BufferGPU {
public:
    explicit BufferGPU(size_t n) : n_(n) {
        if (cudaMalloc(&p_, n * sizeof(T)) != cudaSuccess) throw std::runtime_error("cudaMalloc");
    }
    ~BufferGPU() { cudaFree(p_); }
    BufferGPU(const BufferGPU &) = delete;
    BufferGPU &operator=(const BufferGPU &) = delete;
    void carica(const std::vector<T> &v) { cudaMemcpy(p_, v.data(), n_ * sizeof(T), cudaMemcpyHostToDevice); }
    T *get() const { return p_; }
private:
    T *p_ = nullptr;
    size_t n_;
};

template <typename T>
__device__ T sommaWarp(T v) {
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}

// il risultato vale solo per il thread 0; blockDim.x multiplo di 32
template <typename T>
__device__ T sommaBlocco(T v) {
    __shared__ T perWarp[32];
    int corsia = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = sommaWarp(v);
    if (corsia == 0) perWarp[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = corsia < blockDim.x / 32 ? perWarp[corsia] : T(0);
        v = sommaWarp(v);
    }
    return v;
}

template <typename T>
__global__ void parziali(const T *x, const T *y, T *parz, size_t n) {
    T s = 0;
    size_t passo = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += passo)
        s += x[i] * y[i];
    s = sommaBlocco(s);
    if (threadIdx.x == 0) parz[blockIdx.x] = s;
}

template <typename T>
__global__ void finale(const T *parz, int quanti, T *risultato) {
    T s = 0;
    for (int i = threadIdx.x; i < quanti; i += blockDim.x) s += parz[i];
    s = sommaBlocco(s);
    if (threadIdx.x == 0) *risultato = s;
}

double prodottoScalare(const std::vector<double> &x, const std::vector<double> &y) {
    const size_t n = x.size();
    const int thread = 192;
    int blocchi = (int)std::min<size_t>((n + thread - 1) / thread, 600);
    BufferGPU<double> dx(n), dy(n), dp(blocchi), dr(1);
    dx.carica(x);
    dy.carica(y);
    parziali<<<blocchi, thread>>>(dx.get(), dy.get(), dp.get(), n);
    finale<<<1, 512>>>(dp.get(), blocchi, dr.get());
    double r = 0;
    cudaMemcpy(&r, dr.get(), sizeof(double), cudaMemcpyDeviceToHost);
    return r;
}

int main() {
    for (size_t n : {1, 31, 192, 1000, 115201, 3000000}) {
        std::vector<double> x(n), y(n);
        double atteso = 0;
        for (size_t i = 0; i < n; i++) {
            x[i] = std::sin(0.001 * i);
            y[i] = 1.0 / (1 + i % 13);
            atteso += x[i] * y[i];
        }
        double r = prodottoScalare(x, y);
        bool bene = std::fabs(r - atteso) <= 1e-9 * (1 + std::fabs(atteso));
        std::cout << n << ": " << r << (bene ? "  ok" : "  ERRORE") << std::endl;
    }
}
