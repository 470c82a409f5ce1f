// Skalarprodukt zweier ganzzahliger Vektoren
#include <cstdio>
#include <cstdlib>

#define ANZ_THREADS 128

__global__ void skalarprodukt(const int *x, const int *y, int *ergebnis, int laenge)
{
    __shared__ int puffer[ANZ_THREADS];

    const int t = threadIdx.x;
    const int idx = blockIdx.x * ANZ_THREADS + t;

    puffer[t] = (idx < laenge) ? x[idx] * y[idx] : 0;
    __syncthreads();

    for (int abstand = ANZ_THREADS / 2; abstand >= 1; abstand /= 2) {
        if (t < abstand)
            puffer[t] += puffer[t + abstand];
        __syncthreads();
    }

    // Thread 0 addiert die Blocksumme zum Gesamtergebnis
    if (t == 0)
        *ergebnis += puffer[0];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100000;
    int *x = (int *)malloc(n * sizeof(int));
    int *y = (int *)malloc(n * sizeof(int));
    long ref = 0;
    for (int i = 0; i < n; i++) {
        x[i] = i % 10;
        y[i] = (i % 6) - 2;
        ref += x[i] * y[i];
    }

    int *dx, *dy, *dErg, erg = 0;
    cudaMalloc((void **)&dx, n * sizeof(int));
    cudaMalloc((void **)&dy, n * sizeof(int));
    cudaMalloc((void **)&dErg, sizeof(int));
    cudaMemcpy(dx, x, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(dErg, 0, sizeof(int));

    skalarprodukt<<<(n + ANZ_THREADS - 1) / ANZ_THREADS, ANZ_THREADS>>>(dx, dy, dErg, n);
    cudaMemcpy(&erg, dErg, sizeof(int), cudaMemcpyDeviceToHost);

    printf("GPU: %d  CPU: %ld\n", erg, ref);
    cudaFree(dx); cudaFree(dy); cudaFree(dErg);
    free(x); free(y);
    return 0;
}
