#include <vector>
#include <iostream>
#include <cuda_runtime.h>

#define TETO(a, b) (((a) + (b) - 1) / (b))
#define BX 32
#define BY 8

/* saida (linhas x colunas) = A (linhas x meio) * Bt^T,  Bt guardada como colunas x meio */
__global__ void produto_nt(const double *A, const double *Bt, double *saida,
                           int linhas, int colunas, int meio)
{
    int c = blockIdx.x * BX + threadIdx.x;
    int l = blockIdx.y * BY + threadIdx.y;
    if (l >= linhas || c >= colunas) return;

    const double *pa = A + l * meio;
    const double *pb = Bt + c * meio;
    double soma = 0;
    for (int q = 0; q < meio; ++q)
        soma += *pa++ * *pb++;
    saida[l * colunas + c] = soma;
}

std::vector<double> multiplicar(const std::vector<double> &A, const std::vector<double> &Bt,
                                int linhas, int colunas, int meio)
{
    std::vector<double> r(linhas * colunas, -1.0);
    double *a, *b, *s;
    cudaMalloc(&a, A.size() * sizeof(double));
    cudaMalloc(&b, Bt.size() * sizeof(double));
    cudaMalloc(&s, r.size() * sizeof(double));
    cudaMemcpy(a, A.data(), A.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(b, Bt.data(), Bt.size() * sizeof(double), cudaMemcpyHostToDevice);

    dim3 bloco(BX, BY);
    dim3 grelha(TETO(linhas, BX), TETO(colunas, BY));
    produto_nt<<<grelha, bloco>>>(a, b, s, linhas, colunas, meio);

    cudaMemcpy(r.data(), s, r.size() * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    cudaFree(s);
    return r;
}

int main(int argc, char **argv)
{
    int n = 256;
    std::vector<double> A(n * n), B(n * n);
    for (int i = 0; i < n * n; ++i) {
        A[i] = i % 9;
        B[i] = i % 4;
    }
    std::vector<double> C = multiplicar(A, B, n, n, n);
    std::cout << C.front() << " " << C.back() << std::endl;
    return 0;
}
