// A : 2m x k, B : k x 2n, C : m x n, stockage par lignes.
// C(i,j) = somme des 4 éléments de A*B dans le carré 2x2 placé en (2i, 2j).
// On utilise (ligne 2i + ligne 2i+1) . (colonne 2j + colonne 2j+1).
__global__ void sommeDesBlocs(const float *A, const float *B, float *C,
                              int m, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n) return;

    const float *haut = A + (size_t)(2 * i) * k;
    const float *bas  = haut + k;
    const float *b    = B + 2 * j;

    float s = 0.0f;
    for (int p = 0; p < k; p++) {
        s += (haut[p] + bas[p]) * (b[0] + b[1]);
        b += n;
    }
    C[(size_t)i * n + j] = s;
}
