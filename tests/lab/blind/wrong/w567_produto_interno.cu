// Produto interno com laço grid-stride e soma final na CPU
#include <cuda_runtime.h>
#include <vector>

namespace pi {

constexpr int THREADS = 128;
constexpr int BLOCOS  = 60;

__global__ void produtoInterno(const double *u, const double *v, double *parciais, long n)
{
    __shared__ double buf[THREADS];
    double soma = 0.0;

    // cada thread percorre o vetor com passo fixo
    long passo = blockDim.x;
    for (long i = (long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += passo)
        soma += u[i] * v[i];

    buf[threadIdx.x] = soma;
    __syncthreads();

    // redução em árvore
    for (int s = THREADS / 2; s > 0; s /= 2) {
        if (threadIdx.x < s)
            buf[threadIdx.x] += buf[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        parciais[blockIdx.x] = buf[0];
}

// u e v com o mesmo tamanho
double calcula(const std::vector<double> &u, const std::vector<double> &v)
{
    long n = (long)u.size();
    size_t bytes = n * sizeof(double);
    double *du, *dv, *dp;
    cudaMalloc(&du, bytes);
    cudaMalloc(&dv, bytes);
    cudaMalloc(&dp, BLOCOS * sizeof(double));
    cudaMemcpy(du, u.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v.data(), bytes, cudaMemcpyHostToDevice);

    produtoInterno<<<BLOCOS, THREADS>>>(du, dv, dp, n);

    std::vector<double> hp(BLOCOS);
    cudaMemcpy(hp.data(), dp, BLOCOS * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(du);
    cudaFree(dv);
    cudaFree(dp);

    double total = 0.0;
    for (double p : hp)
        total += p;
    return total;
}

} // namespace pi
