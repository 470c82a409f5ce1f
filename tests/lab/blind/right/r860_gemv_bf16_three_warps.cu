// Producte matriu-vector amb la matriu en bfloat16 i el vector en float.
// Un bloc de 96 fils (3 warps) per fila. El nombre de columnes ha de ser parell.
#include <cassert>
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#define FILS 96

__global__ void matvec_bf16(const __nv_bfloat162* W, const float2* x, float* y, int parells)
{
    const __nv_bfloat162* fila = W + (size_t)blockIdx.x * parells;
    float suma = 0.f;
    for (int c = threadIdx.x; c < parells; c += FILS) {
        const float2 w = __bfloat1622float2(fila[c]);
        const float2 v = x[c];
        suma += w.x * v.x + w.y * v.y;
    }

    for (int salt = 16; salt >= 1; salt >>= 1)
        suma += __shfl_down_sync(0xffffffffu, suma, salt);

    __shared__ float warp[FILS / 32];
    if ((threadIdx.x & 31) == 0) warp[threadIdx.x >> 5] = suma;
    __syncthreads();
    if (threadIdx.x == 0) y[blockIdx.x] = warp[0] + warp[1] + warp[2];
}

void multiplica(const __nv_bfloat16* W, const float* x, float* y, int files, int columnes)
{
    assert(files > 0 && columnes > 0 && columnes % 2 == 0);
    matvec_bf16<<<files, FILS>>>(reinterpret_cast<const __nv_bfloat162*>(W),
                                 reinterpret_cast<const float2*>(x), y, columnes / 2);
}

int main()
{
    const int files = 61, columnes = 774;
    std::vector<__nv_bfloat16> W(files * columnes);
    std::vector<float> x(columnes), y(files, -1.f);
    for (size_t i = 0; i < W.size(); ++i) W[i] = __float2bfloat16(cosf(0.01f * (i % 4001)));
    for (int i = 0; i < columnes; ++i) x[i] = 0.25f * (i % 7) - 0.5f;

    __nv_bfloat16* dW; float *dx, *dy;
    cudaMalloc(&dW, W.size() * sizeof(W[0]));
    cudaMalloc(&dx, x.size() * sizeof(float));
    cudaMalloc(&dy, y.size() * sizeof(float));
    cudaMemcpy(dW, W.data(), W.size() * sizeof(W[0]), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);
    multiplica(dW, dx, dy, files, columnes);
    cudaMemcpy(y.data(), dy, y.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int errors = 0;
    for (int f = 0; f < files; ++f) {
        double ref = 0, mida = 1e-6;
        for (int c = 0; c < columnes; ++c) {
            const double t = (double)__bfloat162float(W[f * columnes + c]) * x[c];
            ref += t;
            mida += fabs(t);
        }
        if (fabs(ref - y[f]) > 1e-5 * mida) ++errors;
    }
    printf("%s (%d errors)\n", errors ? "malament" : "correcte", errors);
    cudaFree(dW); cudaFree(dx); cudaFree(dy);
    return errors;
}
