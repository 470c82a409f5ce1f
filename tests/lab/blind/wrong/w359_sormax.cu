// 4. feladat: soronkénti maximum
// Minden sorhoz egy blokk tartozik; a mátrix elemei tetszőleges valós számok.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cfloat>

#define SZALAK 128

__global__ void sorMaximum(const float *A, float *maximum, int oszlopok)
{
    __shared__ float m[SZALAK];

    const float *sor = A + (size_t)blockIdx.x * oszlopok;
    float legnagyobb = 0.0f;
    for (int j = threadIdx.x; j < oszlopok; j += SZALAK)
        legnagyobb = fmaxf(legnagyobb, sor[j]);
    m[threadIdx.x] = legnagyobb;
    __syncthreads();

    for (int lepes = SZALAK / 2; lepes >= 1; lepes >>= 1) {
        if (threadIdx.x < lepes)
            m[threadIdx.x] = fmaxf(m[threadIdx.x], m[threadIdx.x + lepes]);
        __syncthreads();
    }

    if (threadIdx.x == 0)
        maximum[blockIdx.x] = m[0];
}

int main(int argc, char **argv)
{
    int sorok = argc > 1 ? atoi(argv[1]) : 40;
    int oszlopok = argc > 2 ? atoi(argv[2]) : 300;

    size_t meret = (size_t)sorok * oszlopok;
    float *A = (float *)malloc(meret * sizeof(float));
    float *eredmeny = (float *)malloc(sorok * sizeof(float));
    for (int i = 0; i < sorok; i++)
        for (int j = 0; j < oszlopok; j++)
            A[(size_t)i * oszlopok + j] = (float)((i * 31 + j * 17) % 101) - 5.0f * i;

    float *dA, *dm;
    cudaMalloc((void **)&dA, meret * sizeof(float));
    cudaMalloc((void **)&dm, sorok * sizeof(float));
    cudaMemcpy(dA, A, meret * sizeof(float), cudaMemcpyHostToDevice);

    sorMaximum<<<sorok, SZALAK>>>(dA, dm, oszlopok);
    cudaMemcpy(eredmeny, dm, sorok * sizeof(float), cudaMemcpyDeviceToHost);

    int hibas = 0;
    for (int i = 0; i < sorok; i++) {
        float vart = -FLT_MAX;
        for (int j = 0; j < oszlopok; j++)
            if (A[(size_t)i * oszlopok + j] > vart) vart = A[(size_t)i * oszlopok + j];
        if (vart != eredmeny[i]) hibas++;
    }
    printf("hibas sorok: %d\n", hibas);
    cudaFree(dA);
    cudaFree(dm);
    free(A);
    free(eredmeny);
    return 0;
}
