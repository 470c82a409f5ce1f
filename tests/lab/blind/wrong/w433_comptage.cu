// Histogramme d'un tableau d'entiers compris entre 0 et nbClasses - 1.
// nbClasses : de 1 à 4096. Le compte global doit être mis à zéro avant.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

const int MAX_CLASSES = 4096;
const int TAILLE_BLOC = 256;

__global__ void compter(const unsigned short *valeurs, int n, int *compte, int nbClasses)
{
    __shared__ int prive[MAX_CLASSES];

    if (threadIdx.x < nbClasses)
        prive[threadIdx.x] = 0;
    __syncthreads();

    int pas = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += pas)
        atomicAdd(&prive[valeurs[i]], 1);
    __syncthreads();

    for (int c = threadIdx.x; c < nbClasses; c += blockDim.x)
        atomicAdd(&compte[c], prive[c]);
}

int main(int argc, char **argv)
{
    int nbClasses = (argc > 1) ? atoi(argv[1]) : 100;
    int n = (argc > 2) ? atoi(argv[2]) : 500000;
    if (nbClasses < 1 || nbClasses > MAX_CLASSES || n < 1 || n > 1000000000)
        return 1;

    std::vector<unsigned short> v(n);
    std::vector<int> attendu(nbClasses, 0), obtenu(nbClasses);
    for (int i = 0; i < n; i++) {
        v[i] = rand() % nbClasses;
        attendu[v[i]]++;
    }

    unsigned short *dv;
    int *dc;
    cudaMalloc(&dv, n * sizeof(unsigned short));
    cudaMalloc(&dc, nbClasses * sizeof(int));
    cudaMemcpy(dv, v.data(), n * sizeof(unsigned short), cudaMemcpyHostToDevice);
    cudaMemset(dc, 0, nbClasses * sizeof(int));

    compter<<<80, TAILLE_BLOC>>>(dv, n, dc, nbClasses);

    cudaMemcpy(obtenu.data(), dc, nbClasses * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(dv);
    cudaFree(dc);

    int differences = 0;
    for (int c = 0; c < nbClasses; c++)
        if (obtenu[c] != attendu[c]) differences++;
    printf("%d classes, %d valeurs : %d differences\n", nbClasses, n, differences);
    return differences > 0;
}
