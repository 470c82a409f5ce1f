// Practicum 4: inwendig product van twee vectoren (double), boom + atomicAdd
#include <cuda_runtime.h>
#include <stdexcept>

class GpuGeheugen {
    double* p_ = nullptr;
public:
    explicit GpuGeheugen(size_t aantal) {
        if (cudaMalloc(&p_, aantal * sizeof(double)) != cudaSuccess)
            throw std::runtime_error("geen geheugen op de GPU");
    }
    ~GpuGeheugen() { cudaFree(p_); }
    GpuGeheugen(const GpuGeheugen&) = delete;
    GpuGeheugen& operator=(const GpuGeheugen&) = delete;

    double* adres() const { return p_; }
    void naarGpu(const double* bron, size_t aantal) {
        cudaMemcpy(p_, bron, aantal * sizeof(double), cudaMemcpyHostToDevice);
    }
    void vanGpu(double* doel, size_t aantal) const {
        cudaMemcpy(doel, p_, aantal * sizeof(double), cudaMemcpyDeviceToHost);
    }
};

constexpr int DRADEN = 512;

__global__ void inwendig(const double* x, const double* y, double* uit, size_t n)
{
    __shared__ double s[DRADEN];
    const unsigned t = threadIdx.x;
    const size_t i = (size_t)blockIdx.x * DRADEN + t;

    s[t] = (i < n) ? x[i] * y[i] : 0.0;
    __syncthreads();

    for (unsigned h = DRADEN / 2; h > 0; h /= 2) {
        if (t < h)
            s[t] += s[t + h];
        __syncthreads();
    }

    // elk blok telt zijn deel op bij het totaal
    if (t == 0)
        atomicAdd(uit, s[0]);
}

double inwendigProduct(const double* x, const double* y, size_t n)
{
    if (n == 0) return 0.0;

    GpuGeheugen dx(n), dy(n), duit(1);
    dx.naarGpu(x, n);
    dy.naarGpu(y, n);

    double uit = 0.0;
    const unsigned blokken = (unsigned)((n + DRADEN - 1) / DRADEN);
    inwendig<<<blokken, DRADEN>>>(dx.adres(), dy.adres(), duit.adres(), n);
    if (cudaGetLastError() != cudaSuccess)
        throw std::runtime_error("kernel niet gestart");

    duit.vanGpu(&uit, 1);
    return uit;
}
