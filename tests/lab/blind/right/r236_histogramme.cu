// Histogramme d'une image en niveaux de gris (256 classes)
// histo doit etre mis a zero avant l'appel :
//   histogramme<<<32, 128>>>(pixels, histo, n);
#define CLASSES 256

__global__ void histogramme(const unsigned char *pixels, unsigned int *histo, int n)
{
    __shared__ unsigned int prive[CLASSES];

    // mise a zero, quel que soit le nombre de threads
    for (int c = threadIdx.x; c < CLASSES; c += blockDim.x)
        prive[c] = 0u;
    __syncthreads();

    const int pas = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += pas)
        atomicAdd(&prive[pixels[i]], 1u);
    __syncthreads();

    for (int c = threadIdx.x; c < CLASSES; c += blockDim.x) {
        const unsigned int v = prive[c];
        if (v != 0u)
            atomicAdd(&histo[c], v);
    }
}
