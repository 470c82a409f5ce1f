// Produto escalar (livro "CUDA by Example"), memória compartilhada "cache"
// chamada: escalar<<<blocos, 256>>>(a, b, parcial, n)
const int threadsPorBloco = 256;

__global__ void escalar(const float *a, const float *b, float *parcial, int n)
{
    __shared__ float cache[threadsPorBloco];
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    int indice = threadIdx.x;

    float temp = 0;
    while (tid < n) {
        temp += a[tid] * b[tid];
        tid += blockDim.x * gridDim.x;
    }
    cache[indice] = temp;
    __syncthreads();

    int s = blockDim.x / 2;
    while (s > 1) {
        if (indice < s)
            cache[indice] += cache[indice + s];
        __syncthreads();
        s /= 2;
    }

    if (indice == 0)
        parcial[blockIdx.x] = cache[0];
}
