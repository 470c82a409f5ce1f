// Askisi 2: esoteriko ginomeno dyo dianysmaton
// Ta merika athroismata ton blocks ta prosthetei o epexergastis (CPU).
#include <iostream>
#include <vector>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

const int NIMATA = 192;     // nimata ana block

__global__ void ginomeno(const float *x, const float *y, float *merika, int n)
{
    __shared__ float mnimi[NIMATA];
    const int nima = threadIdx.x;
    const int thesi = blockIdx.x * NIMATA + nima;

    mnimi[nima] = (thesi < n) ? x[thesi] * y[thesi] : 0.0f;
    __syncthreads();

    for (int vima = NIMATA / 2; vima > 0; vima /= 2) {
        if (nima < vima)
            mnimi[nima] += mnimi[nima + vima];
        __syncthreads();
    }

    if (nima == 0)
        merika[blockIdx.x] = mnimi[0];
}

class Dianysma {
public:
    explicit Dianysma(size_t plithos) : plithos_(plithos)
    {
        if (cudaMalloc(&p_, plithos * sizeof(float)) != cudaSuccess) {
            std::cerr << "den yparxei mnimi stin karta\n";
            std::exit(1);
        }
    }
    ~Dianysma() { cudaFree(p_); }
    void grapse(const std::vector<float> &v)
    {
        cudaMemcpy(p_, v.data(), plithos_ * sizeof(float), cudaMemcpyHostToDevice);
    }
    void diavase(std::vector<float> &v) const
    {
        cudaMemcpy(v.data(), p_, plithos_ * sizeof(float), cudaMemcpyDeviceToHost);
    }
    float *deiktis() { return p_; }

private:
    float *p_ = nullptr;
    size_t plithos_;
};

int main()
{
    const int n = 300000;
    std::vector<float> x(n), y(n);
    double sosto = 0.0;
    for (int i = 0; i < n; ++i) {
        x[i] = 0.5f + (i % 7) * 0.125f;
        y[i] = 1.0f - (i % 5) * 0.0625f;
        sosto += double(x[i]) * y[i];
    }

    const int blocks = (n + NIMATA - 1) / NIMATA;
    std::vector<float> merika(blocks);
    Dianysma dx(n), dy(n), dm(blocks);
    dx.grapse(x);
    dy.grapse(y);

    ginomeno<<<blocks, NIMATA>>>(dx.deiktis(), dy.deiktis(), dm.deiktis(), n);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        std::cerr << "o pyrinas apetyxe\n";
        return 1;
    }
    dm.diavase(merika);

    double athroisma = 0.0;
    for (float m : merika)
        athroisma += m;

    const bool ok = std::fabs(athroisma - sosto) <= 1e-5 * std::fabs(sosto);
    std::cout << "GPU: " << athroisma << "  CPU: " << sosto
              << (ok ? "  sosto" : "  lathos") << std::endl;
    return ok ? 0 : 1;
}
