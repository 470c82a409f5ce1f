// Producte de matrius per lots: C_l = A_l * B_l, l = 0 .. lots-1.
// A_l: m x k, B_l: k x n, C_l: m x n; les matrius de cada lot van seguides.
// Mides d'1 a 4096; fins a 100000 lots si caben a la memòria.
#include <algorithm>
#include <cuda_runtime.h>

template <class T>
struct Lots {
    const T *A, *B;
    T* C;
    int m, n, k, lots;
};

template <class T, int V>
__global__ void producteLots(Lots<T> p)
{
    __shared__ T ra[V][V], rb[V][V];
    const int x = threadIdx.x, y = threadIdx.y;
    const int fila = blockIdx.y * V + y, col = blockIdx.x * V + x;
    const bool dinsFila = fila < p.m, dinsCol = col < p.n;

    const size_t pasA = (size_t)p.m * p.k;
    const size_t pasB = (size_t)p.k * p.n;
    const size_t pasC = (size_t)p.m * p.n;
    const T* A = p.A + blockIdx.z * pasA;
    const T* B = p.B + blockIdx.z * pasB;
    T* C = p.C + blockIdx.z * pasC;

    for (int l = blockIdx.z; l < p.lots; l += gridDim.z) {
        T suma{};
        for (int k0 = 0; k0 < p.k; k0 += V) {
            ra[y][x] = dinsFila && k0 + x < p.k ? A[(size_t)fila * p.k + k0 + x] : T{};
            rb[y][x] = dinsCol && k0 + y < p.k ? B[(size_t)(k0 + y) * p.n + col] : T{};
            __syncthreads();
            for (int q = 0; q < V; ++q) suma += ra[y][q] * rb[q][x];
            __syncthreads();
        }
        if (dinsFila && dinsCol) C[(size_t)fila * p.n + col] = suma;

        A += gridDim.z * pasA;
        B += gridDim.z * pasB;
        C += pasC;
    }
}

template <class T>
cudaError_t executa(const Lots<T>& p)
{
    constexpr int V = 16;
    const dim3 fils(V, V);
    const dim3 blocs((p.n + V - 1) / V, (p.m + V - 1) / V, std::min(p.lots, 128));
    producteLots<T, V><<<blocs, fils>>>(p);
    return cudaGetLastError();
}

template cudaError_t executa<float>(const Lots<float>&);
template cudaError_t executa<double>(const Lots<double>&);
template cudaError_t executa<int>(const Lots<int>&);
