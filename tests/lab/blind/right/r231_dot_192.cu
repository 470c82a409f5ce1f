// Produto escalar com 192 threads por bloco. A árvore funciona para
// qualquer número de threads: a metade é arredondada para cima.
// parciais tem um valor por bloco; grade = ceil(n / 192)
#define NUM_THREADS 192

__global__ void produtoEscalar192(const float *x, const float *y, float *parciais, int n)
{
    __shared__ float s[NUM_THREADS];
    const unsigned t = threadIdx.x;
    const int g = blockIdx.x * NUM_THREADS + t;

    if (g < n)
        s[t] = x[g] * y[g];
    else
        s[t] = 0.0f;
    __syncthreads();

    unsigned tamanho = NUM_THREADS;
    while (tamanho > 1) {
        unsigned metade = (tamanho + 1) / 2;
        if (t < tamanho / 2)
            s[t] += s[t + metade];
        __syncthreads();
        tamanho = metade;
    }

    if (t == 0)
        parciais[blockIdx.x] = s[0];
}

void lanca(const float *x, const float *y, float *parciais, int n)
{
    int blocos = (n + NUM_THREADS - 1) / NUM_THREADS;
    produtoEscalar192<<<blocos, NUM_THREADS>>>(x, y, parciais, n);
}
