// Ödev 4: iç çarpım (dot product)
// Blok boyutu 2'nin kuvveti olmalı, dinamik paylaşımlı bellek: blockDim.x * sizeof(double)

__global__ void icCarpim(int n, const double *u, const double *v, double *sonuc)
{
    extern __shared__ double tampon[];

    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        tampon[t] = u[i] * v[i];
    else
        tampon[t] = 0.0;
    __syncthreads();

    // ağaç biçiminde toplama
    for (int adim = blockDim.x / 2; adim > 0; adim /= 2) {
        if (t < adim) {
            tampon[t] += tampon[t + adim];
            __syncthreads();
        }
    }

    if (t == 0)
        atomicAdd(sonuc, tampon[0]);
}

// sonuc cihaz belleğinde
void calistir(int n, const double *u, const double *v, double *sonuc)
{
    const int blok = 256;
    cudaMemset(sonuc, 0, sizeof(double));
    icCarpim<<<(n + blok - 1) / blok, blok, blok * sizeof(double)>>>(n, u, v, sonuc);
}
