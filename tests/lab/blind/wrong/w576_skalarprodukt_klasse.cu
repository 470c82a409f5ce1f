// Skalarprodukt als Klasse: Speicher wird einmal angelegt und wiederverwendet.
// Stufe 1: Teilsummen pro Block, Stufe 2: Teilsummen zusammenzaehlen.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

__global__ void stufe1(const float *u, const float *v, double *teil, int n)
{
    extern __shared__ double puffer[];
    int tid = threadIdx.x;

    double s = 0;
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += blockDim.x * gridDim.x)
        s += (double)u[i] * v[i];
    puffer[tid] = s;
    __syncthreads();

    for (int h = blockDim.x / 2; h > 0; h /= 2) {
        if (tid < h) puffer[tid] += puffer[tid + h];
        __syncthreads();
    }
    if (tid == 0) teil[blockIdx.x] = puffer[0];
}

__global__ void stufe2(const double *teil, int anzahl, double *ergebnis)
{
    extern __shared__ double puffer[];
    int tid = threadIdx.x;

    puffer[tid] = (tid < anzahl) ? teil[tid] : 0.0;
    __syncthreads();

    for (int h = blockDim.x / 2; h > 0; h /= 2) {
        if (tid < h) puffer[tid] += puffer[tid + h];
        __syncthreads();
    }
    if (tid == 0) *ergebnis = puffer[0];
}

class Skalarprodukt {
public:
    static const int kThreads = 256;
    static const int kMaxBloecke = 1024;

    explicit Skalarprodukt(int nMax) : nMax_(nMax)
    {
        cudaMalloc(&u_, nMax * sizeof(float));
        cudaMalloc(&v_, nMax * sizeof(float));
        cudaMalloc(&teil_, kMaxBloecke * sizeof(double));
        cudaMalloc(&erg_, sizeof(double));
    }
    ~Skalarprodukt() { cudaFree(u_); cudaFree(v_); cudaFree(teil_); cudaFree(erg_); }

    double operator()(const float *u, const float *v, int n)
    {
        if (n <= 0 || n > nMax_) return 0.0;
        cudaMemcpy(u_, u, n * sizeof(float), cudaMemcpyHostToDevice);
        cudaMemcpy(v_, v, n * sizeof(float), cudaMemcpyHostToDevice);

        int bloecke = (n + kThreads - 1) / kThreads;
        if (bloecke > kMaxBloecke) bloecke = kMaxBloecke;

        stufe1<<<bloecke, kThreads, kThreads * sizeof(double)>>>(u_, v_, teil_, n);
        stufe2<<<1, kThreads, kThreads * sizeof(double)>>>(teil_, bloecke, erg_);

        double e;
        cudaMemcpy(&e, erg_, sizeof(double), cudaMemcpyDeviceToHost);
        return e;
    }

private:
    int nMax_;
    float *u_, *v_;
    double *teil_, *erg_;
};

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 50000;
    if (n < 1 || n > (1 << 26)) return 1;

    std::vector<float> u(n), v(n);
    double soll = 0;
    for (int i = 0; i < n; i++) {
        u[i] = rand() / (float)RAND_MAX;
        v[i] = rand() / (float)RAND_MAX;
        soll += (double)u[i] * v[i];
    }
    Skalarprodukt dot(n);
    double ist = dot(u.data(), v.data(), n);
    printf("n = %d: ist %.8f soll %.8f %s\n", n, ist, soll, fabs(ist - soll) < 1e-6 * soll ? "OK" : "FEHLER");
    return 0;
}
