// Skalarprodukt: Baum im gemeinsamen Speicher, dann atomicAdd je Block.
#include <iostream>
#include <vector>
#include <cmath>
#include <cstdlib>

constexpr int FAEDEN = 256;   // Zweierpotenz

inline void pruefe(cudaError_t e)
{
    if (e != cudaSuccess) {
        std::cerr << cudaGetErrorString(e) << std::endl;
        std::exit(1);
    }
}

__global__ void skalar(const float* x, const float* y, float* ergebnis, size_t n)
{
    __shared__ float baum[FAEDEN];
    const int t = threadIdx.x;

    float eigen = 0.0f;
    const size_t schritt = (size_t)blockDim.x * gridDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + t; i < n; i += schritt)
        eigen += x[i] * y[i];
    baum[t] = eigen;
    __syncthreads();

    for (int halb = FAEDEN / 2; halb > 0; halb >>= 1) {
        if (t < halb)
            baum[t] += baum[t + halb];
        __syncthreads();
    }

    if (t == 0)
        atomicAdd(ergebnis, baum[0]);
}

class Skalarprodukt {
    float* d_summe_ = nullptr;
public:
    Skalarprodukt() { pruefe(cudaMalloc(&d_summe_, sizeof(float))); }
    ~Skalarprodukt() { cudaFree(d_summe_); }

    float operator()(const float* dx, const float* dy, size_t n)
    {
        // bei jedem Aufruf von vorn beginnen
        pruefe(cudaMemset(d_summe_, 0, sizeof(float)));
        if (n > 0) {
            size_t bloecke = (n + FAEDEN - 1) / FAEDEN;
            if (bloecke > 512) bloecke = 512;
            skalar<<<(unsigned)bloecke, FAEDEN>>>(dx, dy, d_summe_, n);
            pruefe(cudaGetLastError());
        }
        float h = 0.0f;
        pruefe(cudaMemcpy(&h, d_summe_, sizeof(float), cudaMemcpyDeviceToHost));
        return h;
    }
};

int main()
{
    const size_t groesse = 300007;
    std::vector<float> x(groesse), y(groesse);
    for (size_t i = 0; i < groesse; ++i) {
        x[i] = 0.5f + 0.001f * (float)(i % 200);
        y[i] = 1.0f - 0.002f * (float)(i % 331);
    }
    float *dx, *dy;
    pruefe(cudaMalloc(&dx, groesse * sizeof(float)));
    pruefe(cudaMalloc(&dy, groesse * sizeof(float)));
    pruefe(cudaMemcpy(dx, x.data(), groesse * sizeof(float), cudaMemcpyHostToDevice));
    pruefe(cudaMemcpy(dy, y.data(), groesse * sizeof(float), cudaMemcpyHostToDevice));

    Skalarprodukt sp;
    bool alles = true;
    for (size_t n : {groesse, (size_t)1, (size_t)1000, (size_t)0, groesse}) {
        double soll = 0.0, betrag = 0.0;
        for (size_t i = 0; i < n; ++i) {
            soll += (double)x[i] * y[i];
            betrag += std::fabs((double)x[i] * y[i]);
        }
        double ist = sp(dx, dy, n);
        if (!(std::fabs(ist - soll) <= 1e-4 * betrag + 1e-6))
            alles = false;
    }
    cudaFree(dx);
    cudaFree(dy);
    std::cout << "Skalarprodukt, fuenf Laengen: " << (alles ? "OK" : "FAILED") << std::endl;
    return alles ? 0 : 1;
}
