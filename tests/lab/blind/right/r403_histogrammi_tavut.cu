/* Tavujen histogrammi: lukumaarat[v] = kuinka monta kertaa arvo v esiintyy.
 *
 * Jokaisella lohkolla on oma histogrammi jaetussa muistissa, lopuksi se
 * lisätään globaaliin atomisesti.  Data luetaan neljä tavua kerrallaan;
 * osoittimen pitää siis olla 4 tavun rajalla (cudaMalloc takaa sen).
 * Loput 0-3 tavua hoitaa viimeinen silmukka.  n < 2^32.
 */
#include <cuda_runtime.h>

#define LOKEROT 256

__global__ void histogrammi(const unsigned char *data, size_t n, unsigned int *lukumaarat)
{
	__shared__ unsigned int oma[LOKEROT];

	for (int b = threadIdx.x; b < LOKEROT; b += blockDim.x)
		oma[b] = 0;
	__syncthreads();

	const size_t nelikot = n / 4;
	const size_t saie = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	const size_t askel = (size_t)gridDim.x * blockDim.x;
	const uchar4 *data4 = reinterpret_cast<const uchar4 *>(data);

	for (size_t i = saie; i < nelikot; i += askel) {
		uchar4 q = data4[i];
		atomicAdd(&oma[q.x], 1u);
		atomicAdd(&oma[q.y], 1u);
		atomicAdd(&oma[q.z], 1u);
		atomicAdd(&oma[q.w], 1u);
	}
	for (size_t i = nelikot * 4 + saie; i < n; i += askel)
		atomicAdd(&oma[data[i]], 1u);

	__syncthreads();
	for (int b = threadIdx.x; b < LOKEROT; b += blockDim.x)
		if (oma[b] != 0)
			atomicAdd(&lukumaarat[b], oma[b]);
}

int laskeHistogrammi(const unsigned char *laiteData, size_t n, unsigned int *laiteLukumaarat)
{
	if (cudaMemset(laiteLukumaarat, 0, LOKEROT * sizeof(unsigned int)) != cudaSuccess)
		return -1;
	if (n == 0)
		return 0;
	const int saikeita = 192;
	size_t lohkoja = (n / 4 + saikeita) / saikeita;
	if (lohkoja > 320)
		lohkoja = 320;
	histogrammi<<<(unsigned)lohkoja, saikeita>>>(laiteData, n, laiteLukumaarat);
	return cudaGetLastError() == cudaSuccess ? 0 : -1;
}
