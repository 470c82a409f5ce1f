// Producto punto de dos vectores double de longitud n (1 <= n <= 1000000000).
// Cada bloque deja una suma parcial; la CPU suma las parciales.
// El número de hilos por bloque es libre (de 1 a 1024).
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

__global__ void productoPunto(const double* x, const double* y, double* parcial, int n)
{
    extern __shared__ double s[];
    const int t = threadIdx.x;

    double suma = 0.0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        suma += x[i] * y[i];
    s[t] = suma;
    __syncthreads();

    // plegamos la parte alta sobre la baja
    int activos = blockDim.x;
    while (activos > 1) {
        const int mitad = activos / 2;
        if (t + mitad < activos)
            s[t] += s[t + mitad];
        __syncthreads();
        activos = mitad;
    }

    if (t == 0) parcial[blockIdx.x] = s[0];
}

double punto(const double* dx, const double* dy, int n, int hilos, int bloques)
{
    double* dp;
    std::vector<double> p(bloques);
    cudaMalloc(&dp, bloques * sizeof(double));
    productoPunto<<<bloques, hilos, hilos * sizeof(double)>>>(dx, dy, dp, n);
    cudaMemcpy(p.data(), dp, bloques * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(dp);
    double total = 0.0;
    for (double v : p) total += v;
    return total;
}

int main(int argc, char** argv)
{
    const int n = 1 << 20;
    const int hilos = argc > 1 ? atoi(argv[1]) : 240;
    std::vector<double> x(n), y(n);
    double ref = 0.0;
    for (int i = 0; i < n; ++i) {
        x[i] = 1.0 + i % 5;
        y[i] = 0.5 * (i % 3);
        ref += x[i] * y[i];
    }
    double *dx, *dy;
    cudaMalloc(&dx, n * sizeof(double));
    cudaMalloc(&dy, n * sizeof(double));
    cudaMemcpy(dx, x.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    printf("gpu %.3f  cpu %.3f\n", punto(dx, dy, n, hilos, 160), ref);
    cudaFree(dx);
    cudaFree(dy);
    return 0;
}
