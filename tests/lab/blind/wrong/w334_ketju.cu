// Harjoitus 6: C = A * B, n x n, mika tahansa n.
// Yksi lohko laskee JONO perakkaista ruutua vaakasuunnassa (samat A:n rivit).
#define RUUTU 16
#define JONO 4

__global__ void ketju(const float *A, const float *B, float *C, int n)
{
    __shared__ float ra[RUUTU][RUUTU];
    __shared__ float rb[RUUTU][RUUTU];

    int rivi = blockIdx.y * RUUTU + threadIdx.y;
    float summa = 0.0f;

    for (int j = 0; j < JONO; j++) {
        int sarake = (blockIdx.x * JONO + j) * RUUTU + threadIdx.x;

        for (int k0 = 0; k0 < n; k0 += RUUTU) {
            int ka = k0 + threadIdx.x;
            int kb = k0 + threadIdx.y;
            ra[threadIdx.y][threadIdx.x] = (rivi < n && ka < n) ? A[rivi * n + ka] : 0.0f;
            rb[threadIdx.y][threadIdx.x] = (kb < n && sarake < n) ? B[kb * n + sarake] : 0.0f;
            __syncthreads();

            for (int k = 0; k < RUUTU; k++)
                summa += ra[threadIdx.y][k] * rb[k][threadIdx.x];
            __syncthreads();
        }

        if (rivi < n && sarake < n)
            C[rivi * n + sarake] = summa;
    }
}

// osoittimet ovat laitteen muistissa
void kerro(const float *dA, const float *dB, float *dC, int n)
{
    int leveys = RUUTU * JONO;
    dim3 saikeet(RUUTU, RUUTU);
    dim3 lohkot((n + leveys - 1) / leveys, (n + RUUTU - 1) / RUUTU);
    ketju<<<lohkot, saikeet>>>(dA, dB, dC, n);
}
