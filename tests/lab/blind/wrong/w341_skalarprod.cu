// Inlamning 2: skalarprodukt med tradreduktion i delat minne
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define TRADAR 256

__global__ void skalar(const float *u, const float *v, float *delsumma, int langd)
{
    __shared__ float cache[TRADAR];
    int lokal = threadIdx.x;

    float s = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < langd; i += blockDim.x * gridDim.x)
        s += u[i] * v[i];
    cache[lokal] = s;
    __syncthreads();

    for (int steg = blockDim.x / 2; steg > 0; steg /= 2) {
        if (lokal < steg)
            cache[lokal] += cache[lokal + steg];
    }

    if (lokal == 0)
        delsumma[blockIdx.x] = cache[0];
}

int main()
{
    const int langd = 70001;
    const int block = 64;
    std::vector<float> u(langd), v(langd), del(block);
    double facit = 0;
    for (int i = 0; i < langd; i++) {
        u[i] = (i % 16) * 0.25f;
        v[i] = (i % 5) - 1.0f;
        facit += (double)u[i] * v[i];
    }

    float *du, *dv, *dd;
    cudaMalloc(&du, langd * sizeof(float));
    cudaMalloc(&dv, langd * sizeof(float));
    cudaMalloc(&dd, block * sizeof(float));
    cudaMemcpy(du, u.data(), langd * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v.data(), langd * sizeof(float), cudaMemcpyHostToDevice);

    skalar<<<block, TRADAR>>>(du, dv, dd, langd);
    cudaMemcpy(del.data(), dd, block * sizeof(float), cudaMemcpyDeviceToHost);

    double svar = 0;   // delsummorna laggs ihop pa vardsidan
    for (float x : del) svar += x;
    printf("svar %.2f, facit %.2f\n", svar, facit);

    cudaFree(du);
    cudaFree(dv);
    cudaFree(dd);
    return fabs(svar - facit) > 1e-4 * fabs(facit) + 0.1;
}
