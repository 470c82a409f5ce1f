// Cvičení 1: součin celočíselných matic C = A * B, jednorozměrné bloky.
// a: m x p, b: p x n, c: m x n, uloženo po řádcích.
// Vlákna procházejí prvky výsledku s krokem celé mřížky, takže kernel
// funguje pro libovolnou velikost mřížky i bloku.
// Součty se počítají v 64 bitech.

typedef long long ll;

// skalární součin řádku r a sloupce q (krok n)
__device__ ll s(const int* r, const int* q, int p, int n)
{
    ll v = 0;
    while (p-- > 0) {
        v += (ll)*r * *q;
        r += 1;      // další prvek řádku a
        q += n;      // další prvek sloupce b
    }
    return v;
}

__global__ void nasob(const int* a, const int* b, ll* c, int m, int p, int n)
{
    ll w = (ll)m * n;
    ll d = (ll)blockDim.x * gridDim.x;
    for (ll t = (ll)blockIdx.x * blockDim.x + threadIdx.x; t < w; t += d) {
        ll i = t / n;
        ll j = t % n;
        c[t] = s(a + i * p, b + j, p, n);
    }
}
