// Lluoswm dau fector int8 mewn un bloc ciwb (8, 8, 4) = 256 edefyn = 8 warp.
// Addewidion: 0 <= n <= 100000 (felly mae'r swm yn ffitio mewn int), x ac y wedi'u halinio i 4 beit, sm_80+.
// Lansio: lluoswm<<<1, dim3(8, 8, 4)>>>(x, y, n, canlyniad);
__global__ void lluoswm(const signed char *x, const signed char *y, int n, int *canlyniad)
{
    __shared__ int rhan[8];

    const int t = threadIdx.x + 8 * (threadIdx.y + 8 * threadIdx.z);
    const int lon = t % 32, warp = t / 32;

    const int *x4 = (const int *)x, *y4 = (const int *)y;
    const int geiriau = n / 4;

    int s = 0;
    for (int i = t; i < geiriau; i += 256)
        s = __dp4a(x4[i], y4[i], s);

    // y gynffon: hyd at dair elfen
    const int c = 4 * geiriau + t;
    if (c < n) s += x[c] * y[c];

    s = __reduce_add_sync(0xffffffffu, s);
    if (lon == 0) rhan[warp] = s;
    __syncthreads();

    if (warp == 0) {
        const int v = lon < 8 ? rhan[lon] : 0;
        const int cyfan = __reduce_add_sync(0xffffffffu, v);
        if (lon == 0) *canlyniad = cyfan;
    }
}
