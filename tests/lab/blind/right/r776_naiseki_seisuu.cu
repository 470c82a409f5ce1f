// naiseki: seisuu bekutoru no naiseki (int, kekka wa 64 bitto)
// kaku sureddo wa renzoku shita YOUSO ko no youso wo tantou suru
#include <cstdint>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

constexpr int SUREDDO = 64;
constexpr int YOUSO = 8;

__global__ void naiseki(const int *x, const int *y, int n, unsigned long long *goukei)
{
    __shared__ long long kyouyuu[SUREDDO];

    const int hajime = (blockIdx.x * SUREDDO + threadIdx.x) * YOUSO;
    long long wa = 0;
    for (int i = hajime; i < hajime + YOUSO && i < n; i++)
        wa += (long long)x[i] * y[i];
    kyouyuu[threadIdx.x] = wa;
    __syncthreads();

    // saisho no sureddo ga burokku zentai wo tasu
    if (threadIdx.x == 0) {
        long long zentai = 0;
        for (int t = 0; t < SUREDDO; t++)
            zentai += kyouyuu[t];
        // 2 no hosuu nanode fugou nashi no tashizan de yoi
        atomicAdd(goukei, (unsigned long long)zentai);
    }
}

struct Keisanki {
    unsigned long long *dGoukei = nullptr;
    Keisanki() { cudaMalloc(&dGoukei, sizeof(*dGoukei)); }
    ~Keisanki() { cudaFree(dGoukei); }

    long long keisan(const std::vector<int> &x, const std::vector<int> &y)
    {
        const int n = (int)x.size();
        int *dx, *dy;
        cudaMalloc(&dx, n * sizeof(int));
        cudaMalloc(&dy, n * sizeof(int));
        cudaMemcpy(dx, x.data(), n * sizeof(int), cudaMemcpyHostToDevice);
        cudaMemcpy(dy, y.data(), n * sizeof(int), cudaMemcpyHostToDevice);
        cudaMemset(dGoukei, 0, sizeof(*dGoukei));   // maikai zero ni modosu

        const int burokku = (n + SUREDDO * YOUSO - 1) / (SUREDDO * YOUSO);
        naiseki<<<burokku, SUREDDO>>>(dx, dy, n, dGoukei);

        unsigned long long kekka = 0;
        cudaMemcpy(&kekka, dGoukei, sizeof(kekka), cudaMemcpyDeviceToHost);
        cudaFree(dx);
        cudaFree(dy);
        return (long long)kekka;
    }
};

int main()
{
    Keisanki k;
    bool seikai = true;
    for (int n : {3, 512, 513, 40000, 100003}) {
        std::vector<int> x(n), y(n);
        long long kitai = 0;
        for (int i = 0; i < n; i++) {
            x[i] = (int)((int64_t)i * 7919 % 20011) - 10000;
            y[i] = (int)((int64_t)i * 104729 % 30011) - 16000;
            kitai += (long long)x[i] * y[i];
        }
        if (k.keisan(x, y) != kitai) seikai = false;
        if (cudaGetLastError() != cudaSuccess) seikai = false;
    }
    printf("naiseki: %s\n", seikai ? "OK" : "FAILED");
    return seikai ? 0 : 1;
}
