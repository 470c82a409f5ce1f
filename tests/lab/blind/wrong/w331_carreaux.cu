// TP 2 : produit de matrices par carreaux
// Z = X * Y, X : hx x lx, Y : lx x ly, dimensions quelconques
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define COTE 32

__global__ void carreaux(const float *X, const float *Y, float *Z, int hx, int lx, int ly)
{
    __shared__ float cx[COTE][COTE];
    __shared__ float cy[COTE][COTE];

    int i = blockIdx.y * COTE + threadIdx.y;
    int j = blockIdx.x * COTE + threadIdx.x;
    float r = 0.0f;

    int nb = (lx + COTE - 1) / COTE;
    for (int t = 0; t < nb; t++) {
        int kx = t * COTE + threadIdx.x;
        int ky = t * COTE + threadIdx.y;

        cx[threadIdx.y][threadIdx.x] = (i < hx && kx < lx) ? X[i * lx + kx] : 0.0f;
        cy[threadIdx.y][threadIdx.x] = (ky < lx && j < ly) ? Y[ky * ly + j] : 0.0f;
        __syncthreads();

        // produit des deux carreaux
        for (int k = 0; k < COTE; k++) {
            r += cx[threadIdx.y][k] * cy[k][threadIdx.x];
        }
    }

    if (i < hx && j < ly)
        Z[i * ly + j] = r;
}

int main(int argc, char **argv)
{
    int hx = argc > 1 ? atoi(argv[1]) : 200;
    int lx = argc > 2 ? atoi(argv[2]) : 150;
    int ly = argc > 3 ? atoi(argv[3]) : 90;

    std::vector<float> X(hx * lx), Y(lx * ly), Z(hx * ly);
    for (size_t a = 0; a < X.size(); a++) X[a] = (float)(a % 9) - 4;
    for (size_t a = 0; a < Y.size(); a++) Y[a] = (float)(a % 14) - 6;

    float *dX, *dY, *dZ;
    cudaMalloc(&dX, X.size() * sizeof(float));
    cudaMalloc(&dY, Y.size() * sizeof(float));
    cudaMalloc(&dZ, Z.size() * sizeof(float));
    cudaMemcpy(dX, X.data(), X.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dY, Y.data(), Y.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 fils(COTE, COTE);
    dim3 grille((ly + COTE - 1) / COTE, (hx + COTE - 1) / COTE);
    carreaux<<<grille, fils>>>(dX, dY, dZ, hx, lx, ly);
    cudaMemcpy(Z.data(), dZ, Z.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int mauvais = 0;
    for (int i = 0; i < hx; i++)
        for (int j = 0; j < ly; j++) {
            float s = 0;
            for (int k = 0; k < lx; k++) s += X[i * lx + k] * Y[k * ly + j];
            if (fabsf(s - Z[i * ly + j]) > 1e-2f) mauvais++;
        }
    printf("%d mauvais\n", mauvais);
    cudaFree(dX);
    cudaFree(dY);
    cudaFree(dZ);
    return mauvais != 0;
}
