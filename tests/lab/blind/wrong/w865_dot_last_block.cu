#include <cstdio>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

// Εσωτερικό γινόμενο σε μία εκκίνηση: το τελευταίο μπλοκ αθροίζει τα μερικά.
// Ο μετρητής μηδενίζεται μία φορά στη φόρτωση του προγράμματος και μετά
// ο πυρήνας καλείται όσες φορές θέλουμε.

constexpr int NHMATA = 256;
constexpr int MPLOK = 40;

__device__ unsigned int metrhths = 0;
__device__ float merika[MPLOK];

__device__ float athroisma(float v, float *sh)
{
    const int t = threadIdx.x;
    sh[t] = v;
    __syncthreads();
    for (int s = NHMATA / 2; s > 0; s >>= 1) {
        if (t < s) sh[t] += sh[t + s];
        __syncthreads();
    }
    float r = sh[0];
    __syncthreads();
    return r;
}

__global__ void ginomeno(const float *x, const float *y, float *apotelesma, int n)
{
    __shared__ float sh[NHMATA];
    __shared__ bool teleytaio;

    float v = 0.f;
    for (int i = blockIdx.x * NHMATA + threadIdx.x; i < n; i += gridDim.x * NHMATA)
        v += x[i] * y[i];
    v = athroisma(v, sh);

    if (threadIdx.x == 0) {
        merika[blockIdx.x] = v;
        __threadfence();
        unsigned int seira = atomicInc(&metrhths, gridDim.x);
        teleytaio = (seira == gridDim.x - 1);
    }
    __syncthreads();

    if (teleytaio) {
        __threadfence();
        volatile float *p = merika;
        float w = (threadIdx.x < gridDim.x) ? p[threadIdx.x] : 0.f;
        w = athroisma(w, sh);
        if (threadIdx.x == 0) *apotelesma = w;
    }
}

int main()
{
    bool ola = true;
    for (int n : {1000, 65536, 300001}) {
        std::vector<float> x(n), y(n);
        double swsto = 0;
        for (int i = 0; i < n; ++i) {
            x[i] = (i % 7) * 0.25f;
            y[i] = (i % 5) - 2.f;
            swsto += (double)x[i] * y[i];
        }
        float *dx, *dy, *dr, r = -1.f;
        cudaMalloc(&dx, n * sizeof(float));
        cudaMalloc(&dy, n * sizeof(float));
        cudaMalloc(&dr, sizeof(float));
        cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
        cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
        cudaMemset(dr, 0, sizeof(float));
        ginomeno<<<MPLOK, NHMATA>>>(dx, dy, dr, n);
        cudaMemcpy(&r, dr, sizeof(float), cudaMemcpyDeviceToHost);
        bool ok = std::fabs(r - swsto) <= 1e-3 * (1 + std::fabs(swsto));
        printf("n=%d  gpu=%f  cpu=%f  %s\n", n, r, swsto, ok ? "σωστό" : "λάθος");
        ola = ola && ok;
        cudaFree(dx); cudaFree(dy); cudaFree(dr);
    }
    return ola ? 0 : 1;
}
