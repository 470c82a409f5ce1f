// Ett antal tidssteg av värmeledningsekvationen på ett rutnät (fempunktsstencil).
// Randpunkterna hålls fasta. Blocket läser sin ruta plus en rand på ett element
// till delat minne.
#include <cuda_runtime.h>
#include <utility>

static constexpr int BX = 32;
static constexpr int BY = 8;

__device__ __forceinline__ int klampa(int v, int hogst)
{
    return v < 0 ? 0 : (v > hogst ? hogst : v);
}

__global__ void ettSteg(const float *gammal, float *ny, int bredd, int hojd, float r)
{
    __shared__ float ruta[BY + 2][BX + 2];

    const int x0 = blockIdx.x * BX - 1;
    const int y0 = blockIdx.y * BY - 1;
    const int trad = threadIdx.y * BX + threadIdx.x;

    // (BX + 2) * (BY + 2) = 340 element fördelas på 256 trådar
    for (int e = trad; e < (BX + 2) * (BY + 2); e += BX * BY) {
        const int lx = e % (BX + 2);
        const int ly = e / (BX + 2);
        const int gx = klampa(x0 + lx, bredd - 1);
        const int gy = klampa(y0 + ly, hojd - 1);
        ruta[ly][lx] = gammal[gy * bredd + gx];
    }
    __syncthreads();

    const int x = blockIdx.x * BX + threadIdx.x;
    const int y = blockIdx.y * BY + threadIdx.y;
    if (x >= bredd || y >= hojd)
        return;

    const int lx = threadIdx.x + 1;
    const int ly = threadIdx.y + 1;
    const float mitt = ruta[ly][lx];
    const bool rand = x == 0 || y == 0 || x == bredd - 1 || y == hojd - 1;

    ny[y * bredd + x] = rand
        ? mitt
        : mitt + r * (ruta[ly][lx - 1] + ruta[ly][lx + 1] +
                      ruta[ly - 1][lx] + ruta[ly + 1][lx] - 4.0f * mitt);
}

// falt ligger i värdminnet och skrivs över med resultatet efter antalSteg steg.
// bredd >= 1, 1 <= hojd <= 65535 * BY och antalSteg >= 0.
cudaError_t varmeledning(float *falt, int bredd, int hojd, float r, int antalSteg)
{
    const size_t storlek = (size_t)bredd * hojd * sizeof(float);
    float *a = nullptr, *b = nullptr;

    cudaError_t fel = cudaMalloc(&a, storlek);
    if (fel == cudaSuccess) fel = cudaMalloc(&b, storlek);
    if (fel == cudaSuccess) fel = cudaMemcpy(a, falt, storlek, cudaMemcpyHostToDevice);

    const dim3 block(BX, BY);
    const dim3 natet((bredd + BX - 1) / BX, (hojd + BY - 1) / BY);
    for (int steg = 0; steg < antalSteg && fel == cudaSuccess; ++steg) {
        ettSteg<<<natet, block>>>(a, b, bredd, hojd, r);
        fel = cudaGetLastError();
        std::swap(a, b);
    }

    if (fel == cudaSuccess) fel = cudaMemcpy(falt, a, storlek, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    return fel;
}
