#include <cuda_runtime.h>
#include <cstdio>

#define NX 64
#define NY 48

// one Jacobi step of the 5-point stencil, the border is copied
__global__ void jacobi(const float *u, float *v)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= NX || y >= NY) return;

    int p = y * NX + x;
    if (x > 0 && x < NX - 1 && y > 0 && y < NY - 1)
        v[p] = 0.25f * (u[p - 1] + u[p + 1] + u[p - NX] + u[p + NX]);
    else
        v[p] = u[p];
}

int main()
{
    float *a, *b;
    cudaMallocManaged(&a, NX * NY * sizeof(float));
    cudaMallocManaged(&b, NX * NY * sizeof(float));
    for (int i = 0; i < NX * NY; ++i) a[i] = b[i] = (i % NX == 0) ? 100.0f : 0.0f;

    dim3 block(16, 16);
    dim3 grid((NX + 15) / 16, (NY + 15) / 16);
    for (int step = 0; step < 50; ++step) {
        jacobi<<<grid, block>>>(a, a);
        float *t = a; a = b; b = t;
    }
    cudaDeviceSynchronize();
    printf("%f\n", a[NX + 1]);
    cudaFree(a);
    cudaFree(b);
    return 0;
}
