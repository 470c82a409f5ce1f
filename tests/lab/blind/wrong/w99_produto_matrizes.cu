// Trabalho 2 - Produto de matrizes quadradas com memória unificada
#include <cstdio>
#include <cstdlib>
#include <cmath>

__global__ void multiplica(const float *a, const float *b, float *c, const unsigned n)
{
    const unsigned linha  = blockIdx.y * blockDim.y + threadIdx.y;
    const unsigned coluna = blockIdx.x * blockDim.x + threadIdx.x;
    if (linha >= n || coluna >= n) return;

    float soma = 0.f;
    for (unsigned k = 0; k < n; k++)
        soma += a[linha * n + k] * b[k * n + coluna];
    c[linha * n + coluna] = soma;
}

int main(int argc, char *argv[])
{
    unsigned n = (argc > 1) ? atoi(argv[1]) : 100;
    float *a, *b, *c;
    cudaMallocManaged(&a, n * n * sizeof(float));
    cudaMallocManaged(&b, n * n * sizeof(float));
    cudaMallocManaged(&c, n * n * sizeof(float));

    for (unsigned i = 0; i < n * n; i++) {
        a[i] = (i % 3) + 0.5f;
        b[i] = (i % 7) - 2.5f;
        c[i] = 0.f;
    }

    dim3 bloco(16, 16);
    dim3 grade(n / bloco.x, n / bloco.y);
    multiplica<<<grade, bloco>>>(a, b, c, n);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        printf("erro: %s\n", cudaGetErrorString(e));
        return 1;
    }

    unsigned erros = 0;
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++) {
            float s = 0.f;
            for (unsigned k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j];
            if (fabsf(s - c[i * n + j]) > 1e-2f) erros++;
        }
    printf("erros: %u de %u\n", erros, n * n);

    cudaFree(a); cudaFree(b); cudaFree(c);
    return erros > 0;
}
