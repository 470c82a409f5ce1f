// Producto por teselas con almacenamiento por columnas (estilo Fortran).
// X(i,j) esta en X[i + j * filasX].  Valido para m, n, k positivos cualesquiera.
#include <cuda_runtime.h>

template <int TESELA>
__global__ void productoColumnas(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float ta[TESELA][TESELA + 1];
    __shared__ float tb[TESELA][TESELA + 1];

    int lx = threadIdx.x;
    int ly = threadIdx.y;
    int i = blockIdx.x * TESELA + lx;
    int j = blockIdx.y * TESELA + ly;
    int numTeselas = k / TESELA;

    float suma = 0.0f;
    for (int t = 0; t < numTeselas; t++) {
        int pa = t * TESELA + ly;
        int pb = t * TESELA + lx;
        ta[ly][lx] = (i < m && pa < k) ? A[i + (size_t)pa * m] : 0.0f;
        tb[ly][lx] = (j < n && pb < k) ? B[pb + (size_t)j * k] : 0.0f;
        __syncthreads();
        for (int p = 0; p < TESELA; p++)
            suma += ta[p][lx] * tb[ly][p];
        __syncthreads();
    }

    if (i < m && j < n)
        C[i + (size_t)j * m] = suma;
}

// A, B y C en el anfitrion
bool multiplicarColumnas(const float *A, const float *B, float *C, int m, int n, int k)
{
    const int T = 16;
    size_t bytesA = sizeof(float) * m * k;
    size_t bytesB = sizeof(float) * k * n;
    size_t bytesC = sizeof(float) * m * n;
    float *a, *b, *c;
    if (cudaMalloc(&a, bytesA) != cudaSuccess) return false;
    if (cudaMalloc(&b, bytesB) != cudaSuccess) return false;
    if (cudaMalloc(&c, bytesC) != cudaSuccess) return false;
    cudaMemcpy(a, A, bytesA, cudaMemcpyHostToDevice);
    cudaMemcpy(b, B, bytesB, cudaMemcpyHostToDevice);

    dim3 hilos(T, T);
    dim3 bloques((m + T - 1) / T, (n + T - 1) / T);
    productoColumnas<T><<<bloques, hilos>>>(a, b, c, m, n, k);

    bool bien = cudaMemcpy(C, c, bytesC, cudaMemcpyDeviceToHost) == cudaSuccess;
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return bien;
}
