// 64-bit integers and doubles mixed: seconds since 1970 to year, fraction of the day, and a 64-bit hash.
// The calendar is the Gregorian one by integer divisions; times may be negative.

extern "C" __global__ void days_int64(
    const long long* seconds, int* years, double* fractions, unsigned long long* hashes, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    long long time = seconds[i];

    long long days = time / 86400, rest = time % 86400;
    if (rest < 0) {
        rest += 86400;
        --days;
    }
    fractions[i] = rest / 86400.0;

    days += 719468;
    long long era = (days >= 0 ? days : days - 146096) / 146097;
    long long day = days - era * 146097;
    long long year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    long long day_of_year = day - (365 * year + year / 4 - year / 100);
    years[i] = (int)(year + era * 400) + (day_of_year >= 306);

    unsigned long long hash = (unsigned long long)time * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 29;
    hashes[i] = hash % 1000003ull << 32 | (unsigned)(sqrt((double)(hash >> 40)) * 16.0);
}
