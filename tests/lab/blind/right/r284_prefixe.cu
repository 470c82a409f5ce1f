// Somme préfixe inclusive en trois passes (int -> long long)
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define B 256
typedef long long ll;

// balayage inclusif d'une valeur par thread (Hillis-Steele, deux tampons)
__device__ ll balayageBloc(ll v, ll (*tampon)[B]) {
    int t = threadIdx.x;
    int src = 0;
    tampon[0][t] = v;
    __syncthreads();
    for (int d = 1; d < B; d *= 2) {
        ll x = tampon[src][t];
        if (t >= d) x += tampon[src][t - d];
        tampon[1 - src][t] = x;
        src = 1 - src;
        __syncthreads();
    }
    return tampon[src][t];
}

__global__ void passe1(const int *entree, ll *sortie, ll *totaux, int n) {
    __shared__ ll tampon[2][B];
    int i = blockIdx.x * B + threadIdx.x;
    ll r = balayageBloc(i < n ? entree[i] : 0, tampon);
    if (i < n) sortie[i] = r;
    if (threadIdx.x == B - 1) totaux[blockIdx.x] = r;
}

// un seul bloc parcourt tous les totaux avec une retenue
__global__ void passe2(ll *totaux, int nb) {
    __shared__ ll tampon[2][B];
    __shared__ ll retenue;
    if (threadIdx.x == 0) retenue = 0;
    __syncthreads();
    for (int debut = 0; debut < nb; debut += B) {
        int i = debut + threadIdx.x;
        ll r = balayageBloc(i < nb ? totaux[i] : 0, tampon) + retenue;
        if (i < nb) totaux[i] = r;
        __syncthreads();                       // tous ont lu la retenue
        if (threadIdx.x == B - 1) retenue = r;
        __syncthreads();
    }
}

__global__ void passe3(ll *sortie, const ll *totaux, int n) {
    int i = blockIdx.x * B + threadIdx.x;
    if (blockIdx.x > 0 && i < n) sortie[i] += totaux[blockIdx.x - 1];
}

int main() {
    const int n = 300001;
    const int nb = (n + B - 1) / B;
    std::vector<int> h(n);
    std::vector<ll> r(n);
    for (int i = 0; i < n; i++) h[i] = (i * 37) % 100001 - 500;

    int *de;
    ll *ds, *dt;
    cudaMalloc(&de, n * sizeof(int));
    cudaMalloc(&ds, n * sizeof(ll));
    cudaMalloc(&dt, nb * sizeof(ll));
    cudaMemcpy(de, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);

    passe1<<<nb, B>>>(de, ds, dt, n);
    passe2<<<1, B>>>(dt, nb);
    passe3<<<nb, B>>>(ds, dt, n);
    cudaMemcpy(r.data(), ds, n * sizeof(ll), cudaMemcpyDeviceToHost);
    if (cudaGetLastError() != cudaSuccess) { printf("erreur\n"); return 1; }

    ll s = 0;
    for (int i = 0; i < n; i++) {
        s += h[i];
        if (s != r[i]) { printf("faux en %d : %lld au lieu de %lld\n", i, r[i], s); return 1; }
    }
    printf("juste\n");
    cudaFree(de); cudaFree(ds); cudaFree(dt);
    return 0;
}
