// y = A x pro velmi siroke matice: sloupce se rozdeli mezi bloky (osa y mrizky)
// a castecne soucty se pricitaji atomicky.
#include <cstdio>
#include <vector>
#include <cmath>

const int VLAKEN = 128;
const int PRUH   = 256;    // kolik sloupcu zpracuje jeden blok

__global__ void soucin(const float *A, const float *x, float *y, int radku, int sloupcu)
{
    __shared__ float xs[PRUH];
    int zacatek = blockIdx.y * PRUH;
    int pocet = sloupcu - zacatek;
    if (pocet > PRUH) pocet = PRUH;

    for (int j = threadIdx.x; j < pocet; j += blockDim.x)
        xs[j] = x[zacatek + j];
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < radku) {
        const float *r = A + (size_t)i * sloupcu + zacatek;
        float s = 0.0f;
        for (int j = 0; j < pocet; ++j) s += r[j] * xs[j];
        atomicAdd(y + i, s);
    }
}

std::vector<float> nasob(const std::vector<float> &A, const std::vector<float> &x, int radku, int sloupcu)
{
    float *dA, *dx, *dy;
    cudaMalloc(&dA, sizeof(float) * A.size());
    cudaMalloc(&dx, sizeof(float) * x.size());
    cudaMalloc(&dy, sizeof(float) * radku);
    cudaMemcpy(dA, A.data(), sizeof(float) * A.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), sizeof(float) * x.size(), cudaMemcpyHostToDevice);
    cudaMemset(dy, 0, sizeof(float) * radku);

    dim3 mrizka((radku + VLAKEN - 1) / VLAKEN, (sloupcu + PRUH - 1) / PRUH);
    soucin<<<mrizka, VLAKEN>>>(dA, dx, dy, radku, sloupcu);

    std::vector<float> y(radku);
    cudaMemcpy(y.data(), dy, sizeof(float) * radku, cudaMemcpyDeviceToHost);
    cudaFree(dA); cudaFree(dx); cudaFree(dy);
    return y;
}

int main()
{
    int radku = 150, sloupcu = 1111;
    std::vector<float> A((size_t)radku * sloupcu), x(sloupcu);
    for (size_t p = 0; p < A.size(); ++p) A[p] = (float)(p % 10);
    for (int j = 0; j < sloupcu; ++j) x[j] = (float)(j % 3);

    std::vector<float> y = nasob(A, x, radku, sloupcu);
    int spatne = 0;
    for (int i = 0; i < radku; ++i) {
        float s = 0;
        for (int j = 0; j < sloupcu; ++j) s += A[(size_t)i * sloupcu + j] * x[j];
        if (std::fabs(s - y[i]) > 1e-3f * std::fabs(s)) spatne++;
    }
    std::printf("spatnych radku: %d\n", spatne);
    return spatne;
}
