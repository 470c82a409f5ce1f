// Laboration 2: skalärprodukt av två heltalsvektorer.
// Varje block lägger sin delsumma i delsummor[], värden lägger ihop dem.
// Produkterna räknas i 64 bitar, så stora tal ger inget spill.
#include <iostream>
#include <random>
#include <vector>

using i64 = long long;
constexpr int TRADAR = 256;

__global__ void delskalar(const int *a, const int *b, i64 *delsummor, int n)
{
    __shared__ i64 s[TRADAR];
    const int t = threadIdx.x;
    const int i = 2 * TRADAR * blockIdx.x + t;    // varje tråd tar två element

    i64 egen = 0;
    if (i < n)          egen  = (i64)a[i] * b[i];
    if (i + TRADAR < n) egen += (i64)a[i + TRADAR] * b[i + TRADAR];
    s[t] = egen;

    for (int steg = 1; steg < TRADAR; steg *= 2) {
        __syncthreads();
        int k = 2 * steg * t;
        if (k < TRADAR)
            s[k] += s[k + steg];
    }

    if (t == 0)                                   // s[0] skrevs sist av just denna tråd
        delsummor[blockIdx.x] = s[0];
}

int main()
{
    const int n = 123457;
    const int block = (n + 2 * TRADAR - 1) / (2 * TRADAR);

    std::mt19937 gen(7);
    std::uniform_int_distribution<int> slump(-1000000, 1000000);
    std::vector<int> a(n), b(n);
    i64 facit = 0;
    for (int i = 0; i < n; ++i) {
        a[i] = slump(gen);
        b[i] = slump(gen);
        facit += (i64)a[i] * b[i];
    }

    int *da, *db;
    i64 *ds;
    cudaMalloc(&da, n * sizeof(int));
    cudaMalloc(&db, n * sizeof(int));
    cudaMalloc(&ds, block * sizeof(i64));
    cudaMemcpy(da, a.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * sizeof(int), cudaMemcpyHostToDevice);

    delskalar<<<block, TRADAR>>>(da, db, ds, n);

    std::vector<i64> del(block);
    cudaMemcpy(del.data(), ds, block * sizeof(i64), cudaMemcpyDeviceToHost);
    i64 svar = 0;
    for (i64 d : del) svar += d;

    std::cout << (svar == facit ? "rätt " : "fel ") << svar << '\n';
    cudaFree(da);
    cudaFree(db);
    cudaFree(ds);
    return svar == facit ? 0 : 1;
}
