// Ödev 4: nokta çarpımı (dot product), iki aşamalı, dinamik paylaşılan bellek
//
// Blok boyutu ikinin kuvveti olmak zorunda değil.
// 1. aşama: parcaliCarpim<<<blok, iplik, iplik*sizeof(long long)>>>(a, b, parca, n)
// 2. aşama: topla<<<1, iplik, iplik*sizeof(long long)>>>(parca, sonuc, blok)

extern __shared__ long long ortak[];

// bütün iplikler çağırmalı; sonuç ortak[0] içinde
__device__ void agacToplam()
{
    int t = threadIdx.x;
    int kalan = blockDim.x;
    while (kalan > 1) {
        int yari = (kalan + 1) / 2;
        if (t < kalan / 2)
            ortak[t] += ortak[t + yari];
        __syncthreads();
        kalan = yari;
    }
}

__global__ void parcaliCarpim(const int *a, const int *b, long long *parca, int n)
{
    long long yerel = 0;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x)
        yerel += (long long)a[i] * (long long)b[i];

    ortak[threadIdx.x] = yerel;
    __syncthreads();
    agacToplam();
    if (threadIdx.x == 0)
        parca[blockIdx.x] = ortak[0];
}

__global__ void topla(const long long *parca, long long *sonuc, int adet)
{
    long long yerel = 0;
    for (int i = threadIdx.x; i < adet; i += blockDim.x)
        yerel += parca[i];

    ortak[threadIdx.x] = yerel;
    __syncthreads();
    agacToplam();
    if (threadIdx.x == 0)
        *sonuc = ortak[0];
}

void noktaCarpimi(const int *d_a, const int *d_b, int n, long long *d_parca, int blok,
                  long long *d_sonuc)
{
    const int iplik = 200;
    parcaliCarpim<<<blok, iplik, iplik * sizeof(long long)>>>(d_a, d_b, d_parca, n);
    topla<<<1, iplik, iplik * sizeof(long long)>>>(d_parca, d_sonuc, blok);
}
