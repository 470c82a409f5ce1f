// Suma pe coloane: s[c] = A[0][c] + A[1][c] + ... + A[linii-1][c]
// Matricea A este memorată pe linii. Un fir de execuție adună o coloană
// dintr-o fâșie de linii (blockIdx.y), iar fâșiile se adună cu atomicAdd.
#include <iostream>
#include <vector>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>
using namespace std;

#define FIRE 128
#define FASIE 64

__global__ void sumaColoane(const float *A, float *s, int linii, int coloane)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < coloane) {
        int prima = blockIdx.y * FASIE;
        int ultima = min(prima + FASIE, linii);
        float partial = 0;
        for (int l = prima; l < ultima; l++)
            partial += A[(size_t)l * coloane + c];
        atomicAdd(&s[c], partial);
    }
}

int main(int argc, char *argv[])
{
    int linii = 1000, coloane = 512;
    if (argc >= 3) {
        linii = atoi(argv[1]);
        coloane = atoi(argv[2]);
    }

    vector<float> A((size_t)linii * coloane), s(coloane, 0.0f);
    for (size_t i = 0; i < A.size(); i++)
        A[i] = (float)(i % 10) - 4.0f;

    float *dA = nullptr, *ds = nullptr;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&ds, coloane * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(ds, 0, coloane * sizeof(float));

    dim3 grila(coloane / FIRE, (linii + FASIE - 1) / FASIE);
    sumaColoane<<<grila, FIRE>>>(dA, ds, linii, coloane);
    cudaMemcpy(s.data(), ds, coloane * sizeof(float), cudaMemcpyDeviceToHost);

    int gresite = 0;
    for (int c = 0; c < coloane; c++) {
        double r = 0;
        for (int l = 0; l < linii; l++)
            r += A[(size_t)l * coloane + c];
        if (fabs(r - s[c]) > 1e-3 * (1 + fabs(r))) gresite++;
    }
    cout << (gresite == 0 ? "corect" : "gresit") << ", coloane gresite: " << gresite << endl;

    cudaFree(dA);
    cudaFree(ds);
    return 0;
}
