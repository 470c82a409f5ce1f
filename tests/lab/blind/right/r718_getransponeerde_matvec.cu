// y = A^T * x : A is rijen x kolommen (rij voor rij opgeslagen), x heeft 'rijen' elementen.
// Elk blok neemt een strook van rijen; de deelsommen worden met atomicAdd opgeteld.
#include <cstdio>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

const int STROOK = 50;

__global__ void matVecT(const float* A, const float* x, float* y, int rijen, int kolommen)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= kolommen) return;

    int van = blockIdx.y * STROOK;
    int tot = min(van + STROOK, rijen);

    float som = 0;
    for (int r = van; r < tot; r++)
        som += A[r * kolommen + k] * x[r];

    atomicAdd(&y[k], som);
}

class Matrix {
public:
    Matrix(int r, int k, const std::vector<float>& w) : rijen(r), kolommen(k) {
        cudaMalloc(&d, sizeof(float) * w.size());
        cudaMemcpy(d, w.data(), sizeof(float) * w.size(), cudaMemcpyHostToDevice);
    }
    ~Matrix() { cudaFree(d); }

    // y en x staan op de GPU
    void keerGetransponeerd(const float* x, float* y) const {
        cudaMemset(y, 0, kolommen * sizeof(float));
        dim3 blok(128);
        dim3 rooster((kolommen + 127) / 128, (rijen + STROOK - 1) / STROOK);
        matVecT<<<rooster, blok>>>(d, x, y, rijen, kolommen);
    }
private:
    int rijen, kolommen;
    float* d;
};

int main()
{
    const int R = 777, K = 300;
    std::vector<float> a(R * K), x(R), y(K);
    for (int i = 0; i < R * K; i++) a[i] = (i % 19) * 0.1f;

    Matrix A(R, K, a);
    float *dx, *dy;
    cudaMalloc(&dx, R * sizeof(float));
    cudaMalloc(&dy, K * sizeof(float));

    for (int stap = 1; stap <= 4; stap++) {
        for (int i = 0; i < R; i++) x[i] = 1.0f / (i + stap);
        cudaMemcpy(dx, x.data(), R * sizeof(float), cudaMemcpyHostToDevice);
        A.keerGetransponeerd(dx, dy);
        cudaMemcpy(y.data(), dy, K * sizeof(float), cudaMemcpyDeviceToHost);

        float fout = 0;
        for (int k = 0; k < K; k++) {
            float s = 0;
            for (int r = 0; r < R; r++) s += a[r * K + k] * x[r];
            fout = fmaxf(fout, fabsf(s - y[k]));
        }
        printf("stap %d: grootste fout %g\n", stap, fout);
    }
    cudaFree(dx);
    cudaFree(dy);
    return 0;
}
