#include <cuda_runtime.h>

enum { NT = 128 };

// Etape 1 : chaque bloc traite 2*NT elements et range une somme partielle.
__global__ void partielles(const int *u, const int *v, long long *part, int n)
{
  __shared__ long long s[NT];
  int t = threadIdx.x;
  int i = blockIdx.x * (2 * NT) + t;

  long long z = 0;
  if (i < n)      z  = (long long)u[i] * v[i];
  if (i + NT < n) z += (long long)u[i + NT] * v[i + NT];
  s[t] = z;
  __syncthreads();

  for (int pas = NT / 2; pas; pas >>= 1) {
    if (t < pas) s[t] += s[t + pas];
    __syncthreads();
  }
  if (!t) part[blockIdx.x] = s[0];
}

// Etape 2 : un seul bloc additionne les sommes partielles.
__global__ void total(const long long *part, long long *res, int nb)
{
  __shared__ long long s[NT];
  int t = threadIdx.x;
  s[t] = 0;
  for (int i = t; i < nb; i += NT) s[t] += part[i];
  for (int pas = NT / 2; pas; pas >>= 1) {
    __syncthreads();
    if (t < pas) s[t] += s[t + pas];
  }
  if (!t) *res = s[0];
}

// u et v sont sur la carte, n >= 1
long long produit_scalaire(const int *u, const int *v, int n)
{
  int nb = (n + 2 * NT - 1) / (2 * NT);
  long long *part, *res, h = 0;
  cudaMalloc(&part, nb * sizeof(*part));
  cudaMalloc(&res, sizeof(*res));
  partielles<<<nb, NT>>>(u, v, part, n);
  total<<<1, NT>>>(part, res, nb);
  cudaMemcpy(&h, res, sizeof h, cudaMemcpyDeviceToHost);
  cudaFree(part);
  cudaFree(res);
  return h;
}
