// Εργαστήριο 3: ανάστροφος πίνακα με κοινόχρηστη μνήμη
//   exodos (stiles x grammes) = anastrofos tou eisodos (grammes x stiles)
// Ο πίνακας μπορεί να έχει οποιεσδήποτε διαστάσεις.
// Εκκίνηση:
//   dim3 nimata(PLAKIDIO, PLAKIDIO);
//   dim3 plegma((stiles + PLAKIDIO - 1) / PLAKIDIO, (grammes + PLAKIDIO - 1) / PLAKIDIO);
//   anastrofi<<<plegma, nimata>>>(eisodos, exodos, grammes, stiles);

#define PLAKIDIO 16

__global__ void anastrofi(const int *eisodos, int *exodos, int grammes, int stiles)
{
    __shared__ int plakidio[PLAKIDIO][PLAKIDIO + 1];

    int x = blockIdx.x * PLAKIDIO + threadIdx.x;   // στήλη εισόδου
    int y = blockIdx.y * PLAKIDIO + threadIdx.y;   // γραμμή εισόδου

    if (x < stiles && y < grammes)
        plakidio[threadIdx.y][threadIdx.x] = eisodos[(size_t)y * stiles + x];

    __syncthreads();

    x = blockIdx.y * PLAKIDIO + threadIdx.x;       // στήλη εξόδου
    y = blockIdx.x * PLAKIDIO + threadIdx.y;       // γραμμή εξόδου

    if (x < stiles && y < grammes)
        exodos[(size_t)y * grammes + x] = plakidio[threadIdx.x][threadIdx.y];
}
