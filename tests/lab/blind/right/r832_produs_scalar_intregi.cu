// Produsul scalar a doi vectori de int16_t, cu rezultat pe 64 de biți.
// Memorie unificată, grilă fixă, un atomicAdd pentru fiecare warp.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define VERIFICA(expr)                                                    \
    do {                                                                  \
        const cudaError_t r_ = (expr);                                    \
        if (r_ != cudaSuccess) {                                          \
            std::printf("%s -> %s\n", #expr, cudaGetErrorString(r_));     \
            std::exit(2);                                                 \
        }                                                                 \
    } while (0)

using u64 = unsigned long long;

// *rezultat trebuie să fie 0 la început; n încape într-un int, n >= 0
__global__ void produsScalar(const int16_t* __restrict__ u, const int16_t* __restrict__ v,
                             int n, u64* rezultat)
{
    long long suma = 0;
    const long long pas = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += pas)
        suma += int(u[i]) * int(v[i]);

    for (int d = 16; d > 0; d >>= 1)
        suma += __shfl_xor_sync(0xffffffffu, suma, d);

    // complement față de doi: adunarea fără semn dă același rezultat
    if (threadIdx.x % 32 == 0)
        atomicAdd(rezultat, static_cast<u64>(suma));
}

int main()
{
    const int n = 1'234'567;
    int16_t *u, *v;
    u64* rez;
    VERIFICA(cudaMallocManaged(&u, n * sizeof(int16_t)));
    VERIFICA(cudaMallocManaged(&v, n * sizeof(int16_t)));
    VERIFICA(cudaMallocManaged(&rez, sizeof(u64)));

    long long asteptat = 0;
    for (int i = 0; i < n; ++i) {
        u[i] = static_cast<int16_t>(i % 2001 - 1000);
        v[i] = static_cast<int16_t>(i % 777 - 500);
        asteptat += int(u[i]) * int(v[i]);
    }
    *rez = 0;

    produsScalar<<<160, 256>>>(u, v, n, rez);
    VERIFICA(cudaGetLastError());
    VERIFICA(cudaDeviceSynchronize());

    const long long obtinut = static_cast<long long>(*rez);
    std::printf("obtinut %lld, asteptat %lld\n", obtinut, asteptat);

    VERIFICA(cudaFree(u));
    VERIFICA(cudaFree(v));
    VERIFICA(cudaFree(rez));
    return obtinut == asteptat ? 0 : 1;
}
