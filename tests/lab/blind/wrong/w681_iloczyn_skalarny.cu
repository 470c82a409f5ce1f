// Iloczyn skalarny, suma koncowa w ostatnim bloku (bez drugiego jadra).
#include <cstdio>
#include <cstdlib>

#define WATKI 256

__device__ float  czesci[1024];
__device__ unsigned licznik = 0;

__device__ void zwin(float *s)
{
    for (int d = WATKI / 2; d > 0; d >>= 1) {
        __syncthreads();
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    }
    __syncthreads();
}

__global__ void iloczynSkalarny(const float *a, const float *b, int n, float *wynik)
{
    __shared__ float s[WATKI];
    __shared__ unsigned ktory;

    float v = 0.f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v += a[i] * b[i];
    s[threadIdx.x] = v;
    zwin(s);

    if (threadIdx.x == 0) {
        czesci[blockIdx.x] = s[0];
        __threadfence();
        ktory = atomicInc(&licznik, gridDim.x - 1);   // sam wraca do zera
    }
    __syncthreads();
    if (ktory != gridDim.x - 1) return;

    // ostatni blok
    v = 0.f;
    if (threadIdx.x < gridDim.x)
        v = ((volatile float *)czesci)[threadIdx.x];
    s[threadIdx.x] = v;
    zwin(s);
    if (threadIdx.x == 0) *wynik = s[0];
}

// liczba blokow: od 1 do 1024, tyle ile trzeba
float policz(const float *d_a, const float *d_b, int n)
{
    float *d_w, w;
    cudaMalloc((void **)&d_w, sizeof(float));
    int bloki = (n + WATKI - 1) / WATKI;
    if (bloki > 1024) bloki = 1024;
    iloczynSkalarny<<<bloki, WATKI>>>(d_a, d_b, n, d_w);
    cudaMemcpy(&w, d_w, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_w);
    return w;
}

int main(int argc, char **argv)
{
    int n = (argc > 1) ? atoi(argv[1]) : 10000;     // n od 1 do 100 milionow
    float *a = (float *)malloc(n * sizeof(float));
    for (int i = 0; i < n; i++) a[i] = 1.0f;

    float *d_a, *d_b;
    cudaMalloc((void **)&d_a, n * sizeof(float));
    cudaMalloc((void **)&d_b, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, a, n * sizeof(float), cudaMemcpyHostToDevice);

    printf("n = %d, iloczyn = %.1f\n", n, policz(d_a, d_b, n));

    cudaFree(d_a);
    cudaFree(d_b);
    free(a);
    return 0;
}
