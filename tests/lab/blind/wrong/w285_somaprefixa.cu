// Soma prefixa inclusiva, um bloco de 512 por segmento, depois soma os deslocamentos
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define TAM 512
#define CHECA(e) do { cudaError_t r = (e); if (r != cudaSuccess) { \
    printf("%s na linha %d\n", cudaGetErrorString(r), __LINE__); exit(1); } } while (0)

__global__ void varre(const int *ent, int *sai, int *totais, int n)
{
    __shared__ int buf[TAM];
    int t = threadIdx.x;
    int i = blockIdx.x * TAM + t;

    buf[t] = (i < n) ? ent[i] : 0;
    __syncthreads();

    for (int salto = 1; salto < TAM; salto <<= 1) {
        if (t >= salto)
            buf[t] += buf[t - salto];
        __syncthreads();
    }

    if (i < n) sai[i] = buf[t];
    if (t == TAM - 1 && totais != NULL) totais[blockIdx.x] = buf[t];
}

__global__ void somaDesloc(int *v, const int *totais, int n)
{
    int i = blockIdx.x * TAM + threadIdx.x;
    if (blockIdx.x > 0 && i < n)
        v[i] += totais[blockIdx.x - 1];
}

int main()
{
    const int n = 100000;                       // até TAM*TAM elementos
    const int blocos = (n + TAM - 1) / TAM;
    int *h = (int *)malloc(n * sizeof(int));
    int *saida = (int *)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++) h[i] = i % 17 + 1;

    int *d_ent, *d_sai, *d_tot, *d_tot2;
    CHECA(cudaMalloc(&d_ent, n * sizeof(int)));
    CHECA(cudaMalloc(&d_sai, n * sizeof(int)));
    CHECA(cudaMalloc(&d_tot, blocos * sizeof(int)));
    CHECA(cudaMalloc(&d_tot2, blocos * sizeof(int)));
    CHECA(cudaMemcpy(d_ent, h, n * sizeof(int), cudaMemcpyHostToDevice));

    varre<<<blocos, TAM>>>(d_ent, d_sai, d_tot, n);
    CHECA(cudaGetLastError());
    varre<<<1, TAM>>>(d_tot, d_tot2, NULL, blocos);
    CHECA(cudaGetLastError());
    somaDesloc<<<blocos, TAM>>>(d_sai, d_tot2, n);
    CHECA(cudaGetLastError());
    CHECA(cudaMemcpy(saida, d_sai, n * sizeof(int), cudaMemcpyDeviceToHost));

    int acum = 0, erros = 0;
    for (int i = 0; i < n; i++) {
        acum += h[i];
        if (saida[i] != acum) erros++;
    }
    printf("erros: %d\n", erros);
    cudaFree(d_ent); cudaFree(d_sai); cudaFree(d_tot); cudaFree(d_tot2);
    free(h); free(saida);
    return erros != 0;
}
