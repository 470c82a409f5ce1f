// Harjoitus 2: matriisin rivisummat. Yksi lohko laskee rivin kerrallaan.
#include <cstdio>
#include <cmath>
#include <vector>

#define SAIKEITA 64

__global__ void riviSummat(const float *m, float *summat, int rivit, int sarakkeet)
{
    __shared__ float osa[SAIKEITA];

    for (int r = blockIdx.x; r < rivit; r += gridDim.x) {
        float s = 0.0f;
        for (int c = threadIdx.x; c < sarakkeet; c += SAIKEITA)
            s += m[r * sarakkeet + c];
        osa[threadIdx.x] = s;
        __syncthreads();

        for (int d = SAIKEITA / 2; d > 0; d /= 2) {
            if (threadIdx.x < d) osa[threadIdx.x] += osa[threadIdx.x + d];
            __syncthreads();
        }
        if (threadIdx.x == 0) summat[r] = osa[0];
        __syncthreads();      // ennen kuin seuraava rivi kirjoittaa taulukkoon
    }
}

int main()
{
    int rivit = 150, sarakkeet = 203;
    std::vector<float> m(rivit * sarakkeet), tulos(rivit);
    for (size_t i = 0; i < m.size(); i++) m[i] = (float)(i % 100) / 10.0f;

    float *dm, *ds;
    cudaMalloc(&dm, m.size() * sizeof(float));
    cudaMalloc(&ds, tulos.size() * sizeof(float));
    cudaMemcpy(dm, m.data(), m.size() * sizeof(float), cudaMemcpyHostToDevice);
    riviSummat<<<40, SAIKEITA>>>(dm, ds, rivit, sarakkeet);
    cudaMemcpy(tulos.data(), ds, tulos.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int virheet = 0;
    for (int r = 0; r < rivit; r++) {
        double s = 0;
        for (int c = 0; c < sarakkeet; c++) s += m[r * sarakkeet + c];
        if (std::fabs(s - tulos[r]) > 1e-2) virheet++;
    }
    printf("virheita %d\n", virheet);
    cudaFree(dm); cudaFree(ds);
    return virheet > 0;
}
