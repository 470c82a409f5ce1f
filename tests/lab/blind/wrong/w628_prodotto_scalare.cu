// Esercizio 5 - prodotto scalare: riduzione in memoria condivisa, somma finale sulla CPU
#include <iostream>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

using namespace std;

const int FILI = 192;

__global__ void prodottoScalare(const float *u, const float *v, float *parziali, int n)
{
    __shared__ float cache[FILI];
    int id = threadIdx.x;
    float locale = 0;
    for (int i = id + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x)
        locale += u[i] * v[i];
    cache[id] = locale;
    __syncthreads();

    int meta = blockDim.x / 2;
    while (meta != 0) {
        if (id < meta)
            cache[id] += cache[id + meta];
        __syncthreads();
        meta /= 2;
    }
    if (id == 0)
        parziali[blockIdx.x] = cache[0];
}

int main()
{
    const int n = 50000;
    const int blocchi = 32;
    vector<float> u(n), v(n), parziali(blocchi);
    for (int i = 0; i < n; i++) {
        u[i] = (i % 4) * 0.5f;
        v[i] = (i % 3) + 1.0f;
    }

    float *du, *dv, *dp;
    cudaMalloc(&du, n * sizeof(float));
    cudaMalloc(&dv, n * sizeof(float));
    cudaMalloc(&dp, blocchi * sizeof(float));
    cudaMemcpy(du, u.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v.data(), n * sizeof(float), cudaMemcpyHostToDevice);

    prodottoScalare<<<blocchi, FILI>>>(du, dv, dp, n);

    cudaMemcpy(parziali.data(), dp, blocchi * sizeof(float), cudaMemcpyDeviceToHost);
    cudaError_t esito = cudaGetLastError();
    if (esito != cudaSuccess) {
        cerr << cudaGetErrorString(esito) << endl;
        return 1;
    }

    double somma = 0;
    for (float p : parziali) somma += p;
    cout << "prodotto scalare = " << somma << endl;

    cudaFree(du);
    cudaFree(dv);
    cudaFree(dp);
    return 0;
}
