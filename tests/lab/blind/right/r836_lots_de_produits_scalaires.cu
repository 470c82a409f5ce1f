// Produits scalaires par lots : resultat[l] = <u_l, v_l>, l = 0 .. lots-1,
// les vecteurs de longueur n étant rangés les uns après les autres.
// Un bloc par produit ; le travail est partagé entre deux flux pour recouvrir
// copies et calculs.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define OK(x) do { cudaError_t e_ = (x); if (e_) { \
    fprintf(stderr, "ligne %d : %s\n", __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

template <typename T, int FILS>
__global__ void lotsScalaires(const T* __restrict__ u, const T* __restrict__ v,
                              T* __restrict__ resultat, int n)
{
    static_assert(FILS >= 32 && FILS % 32 == 0 && FILS <= 1024, "");
    __shared__ T parWarp[FILS / 32];

    u += static_cast<size_t>(blockIdx.x) * n;
    v += static_cast<size_t>(blockIdx.x) * n;

    T s = 0;
    for (size_t i = threadIdx.x; i < n; i += FILS)
        s += u[i] * v[i];

    for (int d = 16; d > 0; d >>= 1)
        s += __shfl_down_sync(0xffffffff, s, d);
    if ((threadIdx.x & 31) == 0)
        parWarp[threadIdx.x >> 5] = s;
    __syncthreads();

    if (threadIdx.x == 0) {
        T total = parWarp[0];
        for (int w = 1; w < FILS / 32; ++w) total += parWarp[w];
        resultat[blockIdx.x] = total;
    }
}

int main()
{
    const int lots = 101, n = 3001;
    const size_t total = static_cast<size_t>(lots) * n;

    float *hu, *hv, *hr, *du, *dv, *dr;
    OK(cudaMallocHost(&hu, total * sizeof(float)));
    OK(cudaMallocHost(&hv, total * sizeof(float)));
    OK(cudaMallocHost(&hr, lots * sizeof(float)));
    OK(cudaMalloc(&du, total * sizeof(float)));
    OK(cudaMalloc(&dv, total * sizeof(float)));
    OK(cudaMalloc(&dr, lots * sizeof(float)));
    for (size_t i = 0; i < total; ++i) {
        hu[i] = float(i % 3);
        hv[i] = float(i % 4) - 1.f;
    }

    cudaStream_t flux[2];
    for (auto& f : flux) OK(cudaStreamCreate(&f));

    for (int q = 0; q < 2; ++q) {
        const int debut = q * (lots / 2);
        const int combien = q == 0 ? lots / 2 : lots - lots / 2;
        const size_t pos = static_cast<size_t>(debut) * n;
        const size_t octets = static_cast<size_t>(combien) * n * sizeof(float);
        OK(cudaMemcpyAsync(du + pos, hu + pos, octets, cudaMemcpyHostToDevice, flux[q]));
        OK(cudaMemcpyAsync(dv + pos, hv + pos, octets, cudaMemcpyHostToDevice, flux[q]));
        lotsScalaires<float, 128><<<combien, 128, 0, flux[q]>>>(du + pos, dv + pos, dr + debut, n);
        OK(cudaGetLastError());
        OK(cudaMemcpyAsync(hr + debut, dr + debut, combien * sizeof(float),
                           cudaMemcpyDeviceToHost, flux[q]));
    }
    for (auto f : flux) OK(cudaStreamSynchronize(f));

    int faux = 0;
    for (int l = 0; l < lots; ++l) {
        float ref = 0.f;   // sommes d'entiers : exactes en float
        for (int i = 0; i < n; ++i) ref += hu[size_t(l) * n + i] * hv[size_t(l) * n + i];
        faux += ref != hr[l];
    }
    printf("%d lots, %d faux\n", lots, faux);

    for (auto f : flux) OK(cudaStreamDestroy(f));
    OK(cudaFree(du)); OK(cudaFree(dv)); OK(cudaFree(dr));
    OK(cudaFreeHost(hu)); OK(cudaFreeHost(hv)); OK(cudaFreeHost(hr));
    return faux != 0;
}
