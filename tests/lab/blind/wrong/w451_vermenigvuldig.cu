// Opgave 2: matrixvermenigvuldiging met tegels in gedeeld geheugen
#include <stdio.h>
#include <cuda_runtime.h>

#define TEGEL 16

__global__ void vermenigvuldig(float *uit, const float *links, const float *rechts,
                               int rijen, int midden, int kolommen)
{
    __shared__ float tl[TEGEL][TEGEL];
    __shared__ float tr[TEGEL][TEGEL];
    int rij = blockIdx.y * blockDim.y + threadIdx.y;
    int kolom = blockIdx.x * blockDim.x + threadIdx.x;
    float totaal = 0.0f;
    int aantal = (midden + TEGEL - 1) / TEGEL;

    for (int t = 0; t < aantal; t++) {
        int k1 = t * TEGEL + threadIdx.x;
        int k2 = t * TEGEL + threadIdx.y;
        if (rij < rijen && k1 < midden)
            tl[threadIdx.y][threadIdx.x] = links[rij * midden + k1];
        else
            tl[threadIdx.y][threadIdx.x] = 0.0f;
        if (k2 < midden && kolom < kolommen)
            tr[threadIdx.y][threadIdx.x] = rechts[k2 * kolommen + kolom];
        else
            tr[threadIdx.y][threadIdx.x] = 0.0f;
        __syncthreads();

        for (int k = 0; k < TEGEL; k++)
            totaal += tl[threadIdx.y][k] * tr[k][threadIdx.x];
    }

    if (rij < rijen && kolom < kolommen)
        uit[rij * kolommen + kolom] = totaal;
}

int main(void)
{
    int rijen = 300, midden = 200, kolommen = 150;
    float *l, *r, *u;
    cudaMallocManaged((void **)&l, sizeof(float) * rijen * midden);
    cudaMallocManaged((void **)&r, sizeof(float) * midden * kolommen);
    cudaMallocManaged((void **)&u, sizeof(float) * rijen * kolommen);
    for (int i = 0; i < rijen * midden; i++) l[i] = (float)(i % 10);
    for (int i = 0; i < midden * kolommen; i++) r[i] = (float)(i % 3);

    dim3 blok(TEGEL, TEGEL);
    dim3 rooster((kolommen + TEGEL - 1) / TEGEL, (rijen + TEGEL - 1) / TEGEL);
    vermenigvuldig<<<rooster, blok>>>(u, l, r, rijen, midden, kolommen);
    cudaDeviceSynchronize();
    printf("u[0] = %f, laatste = %f\n", u[0], u[rijen * kolommen - 1]);
    cudaFree(l);
    cudaFree(r);
    cudaFree(u);
    return 0;
}
