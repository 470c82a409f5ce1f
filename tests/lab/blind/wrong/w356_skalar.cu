// Labb 3: skalärprodukt av två vektorer
// Varje block summerar sina produkter i ett träd och lägger till
// blockets summa i svaret med atomicAdd.
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define TRADAR 96

__global__ void skalar(const float *u, const float *v, float *svar, int n)
{
    __shared__ float del[TRADAR];

    int t = threadIdx.x;
    float p = 0.0f;
    for (int i = blockIdx.x * TRADAR + t; i < n; i += gridDim.x * TRADAR)
        p += u[i] * v[i];
    del[t] = p;
    __syncthreads();

    for (int s = TRADAR / 2; s > 0; s /= 2) {
        if (t < s)
            del[t] += del[t + s];
        __syncthreads();
    }

    if (t == 0)
        atomicAdd(svar, del[0]);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 5000;
    float *u, *v, *svar;
    cudaMallocManaged(&u, n * sizeof(float));
    cudaMallocManaged(&v, n * sizeof(float));
    cudaMallocManaged(&svar, sizeof(float));

    double facit = 0.0;
    for (int i = 0; i < n; i++) {
        u[i] = 1.0f + i % 3;
        v[i] = 2.0f - i % 2;
        facit += u[i] * v[i];
    }
    *svar = 0.0f;

    int block = (n + TRADAR - 1) / TRADAR;
    if (block > 40) block = 40;
    skalar<<<block, TRADAR>>>(u, v, svar, n);
    cudaDeviceSynchronize();

    printf("GPU: %f  CPU: %f\n", *svar, facit);
    int fel = fabs(*svar - facit) > 1e-4 * facit;
    cudaFree(u);
    cudaFree(v);
    cudaFree(svar);
    return fel;
}
