// Transponeren van een matrix van doubles via een tegel in gedeeld geheugen.
// invoer: rijen x kolommen, uitvoer: kolommen x rijen, beide rij voor rij.
// Elke draad verplaatst TEGEL / STAP elementen.
#include <cuda_runtime.h>

#define TEGEL 32
#define STAP 8

__global__ void transponeer(double *__restrict__ uitvoer,
                            const double *__restrict__ invoer,
                            int rijen, int kolommen)
{
    // een kolom extra tegen bankconflicten
    __shared__ double tegel[TEGEL][TEGEL + 1];

    int k = blockIdx.x * TEGEL + threadIdx.x;
    int r = blockIdx.y * TEGEL + threadIdx.y;

    if (k < kolommen) {
        for (int d = 0; d < TEGEL; d += STAP) {
            if (r + d < rijen)
                tegel[threadIdx.y + d][threadIdx.x] =
                    invoer[(size_t)(r + d) * kolommen + k];
        }
    }

    __syncthreads();

    // in de uitvoer wisselen de blokcoordinaten van plaats
    k = blockIdx.y * TEGEL + threadIdx.x;   // kolom van de uitvoer
    r = blockIdx.x * TEGEL + threadIdx.y;   // rij van de uitvoer

    if (k < rijen) {
        for (int d = 0; d < TEGEL; d += STAP) {
            if (r + d < kolommen)
                uitvoer[(size_t)(r + d) * rijen + k] =
                    tegel[threadIdx.x][threadIdx.y + d];
        }
    }
}

// Beide wijzers wijzen naar apparaatgeheugen en overlappen niet.
// rijen mag ten hoogste 65535 * 32 zijn (grens van gridDim.y).
cudaError_t startTransponeer(double *uitvoer, const double *invoer,
                             int rijen, int kolommen)
{
    if (rijen <= 0 || kolommen <= 0)
        return cudaSuccess;

    dim3 blok(TEGEL, STAP);
    dim3 rooster((kolommen + TEGEL - 1) / TEGEL,
                 (rijen + TEGEL - 1) / TEGEL);
    transponeer<<<rooster, blok>>>(uitvoer, invoer, rijen, kolommen);
    return cudaGetLastError();
}
