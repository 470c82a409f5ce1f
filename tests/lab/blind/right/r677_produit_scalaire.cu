// Produit scalaire <psi|phi> (parties reelles seulement), une seule passe :
// le dernier bloc qui termine additionne les sommes partielles.
#include <cstdio>
#include <vector>

static const int NT = 128;           // fils par bloc (puissance de 2)

__device__ unsigned int compteur = 0;

__global__ void scalaire(const double *psi, const double *phi, int n,
                         double *partiel, double *resultat)
{
    __shared__ double s[NT];
    __shared__ bool dernier;
    const int t = threadIdx.x;

    double somme = 0.0;
    for (long long i = (long long)blockIdx.x * NT + t; i < n; i += (long long)NT * gridDim.x)
        somme += psi[i] * phi[i];
    s[t] = somme;
    __syncthreads();

    for (int d = NT / 2; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }

    if (t == 0) {
        partiel[blockIdx.x] = s[0];
        __threadfence();                       // visible avant le compteur
        unsigned int rang = atomicAdd(&compteur, 1u);
        dernier = (rang == gridDim.x - 1);
    }
    __syncthreads();

    if (dernier) {
        __threadfence();
        volatile double *p = partiel;
        somme = 0.0;
        for (int b = t; b < gridDim.x; b += NT)
            somme += p[b];
        s[t] = somme;
        __syncthreads();
        for (int d = NT / 2; d > 0; d /= 2) {
            if (t < d) s[t] += s[t + d];
            __syncthreads();
        }
        if (t == 0) {
            *resultat = s[0];
            compteur = 0;                      // pret pour le prochain appel
        }
    }
}

int main()
{
    const int n = 100003;
    const int nblocs = 200;
    std::vector<double> psi(n), phi(n);
    double ref = 0.0;
    for (int i = 0; i < n; i++) {
        psi[i] = (i % 7) - 1;
        phi[i] = (i % 5) - 1;
        ref += psi[i] * phi[i];
    }

    double *dpsi, *dphi, *dpart, *dres, res;
    cudaMalloc((void **)&dpsi, n * sizeof(double));
    cudaMalloc((void **)&dphi, n * sizeof(double));
    cudaMalloc((void **)&dpart, nblocs * sizeof(double));
    cudaMalloc((void **)&dres, sizeof(double));
    cudaMemcpy(dpsi, psi.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dphi, phi.data(), n * sizeof(double), cudaMemcpyHostToDevice);

    for (int essai = 0; essai < 2; essai++) {
        scalaire<<<nblocs, NT>>>(dpsi, dphi, n, dpart, dres);
        cudaMemcpy(&res, dres, sizeof(double), cudaMemcpyDeviceToHost);
        printf("essai %d : %.1f (attendu %.1f)\n", essai, res, ref);
    }
    cudaFree(dpsi); cudaFree(dphi); cudaFree(dpart); cudaFree(dres);
    return 0;
}
