// Exercicio 1 - produto matriz-vetor y = A x  (A: m x n, por linhas)
// uso: ./matvec [m] [n]        (m e n quaisquer, >= 1)
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

typedef double real;

#define VERIFICA(c) do { cudaError_t r = (c); if (r != cudaSuccess) { \
    printf("%s:%d erro: %s\n", __FILE__, __LINE__, cudaGetErrorString(r)); exit(1); } } while (0)

#define NT 64    // threads por bloco; um bloco por linha

__global__ void matvec(const real *A, const real *x, real *y, int m, int n)
{
    __shared__ real s[NT];
    int t = threadIdx.x;

    for (int linha = blockIdx.x; linha < m; linha += gridDim.x) {
        real soma = 0;
        for (int j = t; j < n; j += NT)
            soma += A[(size_t)linha * n + j] * x[j];
        s[t] = soma;
        __syncthreads();
        for (int d = NT / 2; d > 0; d >>= 1) {
            if (t < d) s[t] += s[t + d];
            __syncthreads();
        }
        if (t == 0) y[linha] = s[0];
        __syncthreads();
    }
}

struct MatVec {
    int m, n;
    real *A, *x, *y;

    MatVec(int m, int n) : m(m), n(n)
    {
        VERIFICA(cudaMalloc(&A, sizeof(real) * m * n));
        VERIFICA(cudaMalloc(&x, sizeof(real) * n));
        VERIFICA(cudaMalloc(&y, sizeof(real) * m));
    }
    ~MatVec() { cudaFree(A); cudaFree(x); cudaFree(y); }

    void executa(const real *hA, const real *hx, real *hy)
    {
        VERIFICA(cudaMemcpy(A, hA, sizeof(real) * m * n, cudaMemcpyHostToDevice));
        VERIFICA(cudaMemcpy(x, hx, sizeof(real) * m, cudaMemcpyHostToDevice));
        int blocos = m < 1024 ? m : 1024;
        matvec<<<blocos, NT>>>(A, x, y, m, n);
        VERIFICA(cudaGetLastError());
        VERIFICA(cudaMemcpy(hy, y, sizeof(real) * m, cudaMemcpyDeviceToHost));
    }
};

int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 512;
    int n = argc > 2 ? atoi(argv[2]) : 512;
    real *A = new real[(size_t)m * n], *x = new real[n], *y = new real[m];
    for (size_t i = 0; i < (size_t)m * n; i++) A[i] = (real)(i % 13) - 6;
    for (int j = 0; j < n; j++) x[j] = (real)(j % 7) / 7;

    MatVec mv(m, n);
    mv.executa(A, x, y);

    real erro = 0;
    for (int i = 0; i < m; i++) {
        real ref = 0;
        for (int j = 0; j < n; j++) ref += A[(size_t)i * n + j] * x[j];
        erro = fmax(erro, fabs(ref - y[i]));
    }
    printf("m=%d n=%d erro maximo %g -> %s\n", m, n, erro, erro < 1e-8 ? "CERTO" : "ERRADO");
    delete[] A; delete[] x; delete[] y;
    return 0;
}
