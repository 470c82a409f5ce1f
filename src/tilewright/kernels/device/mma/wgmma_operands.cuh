// The operands of wgmma: descriptors of tiles in shared memory, and lists of registers for every width.
//
// A descriptor of 64 bits says where a tile lies. Tiles are rows of 128 bytes, swizzled (vectors.cuh):
//   K-major:  a row is 64 consecutive k of one row of A (or column of B), 32 of tf32;
//   MN-major: a row is 64 consecutive rows of A (or columns of B) at one k.
// Sixteen-bit types may be either, so neither operand is ever transposed in memory. tf32, whose elements are float32
// of which 19 bits count, is K-major alone.
//
// Inline PTX names each accumulator register, and has no loops. For N columns a thread holds N / 2 sums. TEXT_N is
// their list as PTX writes it, SUMS_N(d) binds the elements of d to it, and INPUTS_N(form) completes the instruction
// `form` with the operands that follow the sums, up to six: A (a descriptor, or four registers), B and "keep". Each
// list is the one before and four registers more.
// Source: PTX ISA, "Asynchronous warpgroup level matrix instructions".
#pragma once

#include "device/memory/vectors.cuh"

constexpr int WARPGROUP_THREADS = 128; // four warps that multiply together
constexpr int WARPS_OF_WARPGROUP = WARPGROUP_THREADS / 32;
constexpr int WARPGROUP_ROWS = 64;     // of A, by one instruction

#define JOINED(left, right) left##right
#define JOIN(left, right) JOINED(left, right)

#define IS_FLOAT_float 1
#if JOIN(IS_FLOAT_, ELEMENT)
constexpr int OPERAND_BYTES = 4; // of an element of A or B
#else
constexpr int OPERAND_BYTES = 2;
#endif
constexpr int ROW_ELEMENTS = SWIZZLE_BYTES / OPERAND_BYTES;
constexpr int K_STEP_BYTES = 32;       // of k, by one instruction
constexpr int K_STEP = K_STEP_BYTES / OPERAND_BYTES;
constexpr int K_STEPS_OF_ROW = ROW_ELEMENTS / K_STEP;

// From a tile's block of 64 rows or columns to the next, where there is none: K-major. The hardware reads no distance.
constexpr unsigned ONE_BLOCK = VECTOR_BYTES;

// Addresses in shared memory have 18 bits; they and the two distances of a descriptor are counted in 16 bytes.
__device__ __forceinline__ unsigned long long descriptor(unsigned address, unsigned stride_bytes,
                                                         unsigned leading_bytes)
{
    constexpr int STRIDE_BIT = 32, LEADING_BIT = 16;
    constexpr unsigned ADDRESS_MASK = (1u << 18) - 1;
    return static_cast<unsigned long long>(stride_bytes / VECTOR_BYTES) << STRIDE_BIT |
           static_cast<unsigned long long>(leading_bytes / VECTOR_BYTES) << LEADING_BIT |
           (address & ADDRESS_MASK) / VECTOR_BYTES;
}

// Descriptor of a tile that starts at `address`. `block_bytes` is the distance from one block of 64 rows or columns to
// the next.
__device__ __forceinline__ unsigned long long tile_descriptor(unsigned address, unsigned block_bytes)
{
    constexpr unsigned long long SWIZZLE_OF_128_BYTES = 1ull << 62;
    return SWIZZLE_OF_128_BYTES | descriptor(address, SWIZZLE_ATOM_BYTES, block_bytes);
}

// Descriptor of lines of 16 bytes, MN-major and not swizzled: eight columns of B at each k, and the next eight columns
// `group_bytes` further.
__device__ __forceinline__ unsigned long long lines_descriptor(unsigned address, unsigned group_bytes)
{
    return descriptor(address, group_bytes, 8 * VECTOR_BYTES);
}

#define TEXT_OF(value) #value
#define VALUE_AS_TEXT(value) TEXT_OF(value)

#define IS_HALF___half 1
#if JOIN(IS_HALF_, ELEMENT)
#define WGMMA_TYPES "f16.f16"
#elif JOIN(IS_FLOAT_, ELEMENT)
#define WGMMA_TYPES "tf32.tf32"
#else
#define WGMMA_TYPES "bf16.bf16"
#endif
// The instruction asks "transposed?" of each operand of 16 bits: 1 for MN-major.
#if B_K_MAJOR
#define WGMMA_B_TRANSPOSED "0"
#else
#define WGMMA_B_TRANSPOSED "1"
#endif

#define TEXT_8 "%0,%1,%2,%3"
#define SUMS_8(d) "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
#define INPUTS_8(form) form("%4", "%5", "%6", "%7", "%8", "%9")
#define TEXT_16 TEXT_8 ",%4,%5,%6,%7"
#define SUMS_16(d) SUMS_8(d), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
#define INPUTS_16(form) form("%8", "%9", "%10", "%11", "%12", "%13")
#define TEXT_24 TEXT_16 ",%8,%9,%10,%11"
#define SUMS_24(d) SUMS_16(d), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11])
#define INPUTS_24(form) form("%12", "%13", "%14", "%15", "%16", "%17")
#define TEXT_32 TEXT_24 ",%12,%13,%14,%15"
#define SUMS_32(d) SUMS_24(d), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
#define INPUTS_32(form) form("%16", "%17", "%18", "%19", "%20", "%21")
#define TEXT_40 TEXT_32 ",%16,%17,%18,%19"
#define SUMS_40(d) SUMS_32(d), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19])
#define INPUTS_40(form) form("%20", "%21", "%22", "%23", "%24", "%25")
#define TEXT_48 TEXT_40 ",%20,%21,%22,%23"
#define SUMS_48(d) SUMS_40(d), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23])
#define INPUTS_48(form) form("%24", "%25", "%26", "%27", "%28", "%29")
#define TEXT_56 TEXT_48 ",%24,%25,%26,%27"
#define SUMS_56(d) SUMS_48(d), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27])
#define INPUTS_56(form) form("%28", "%29", "%30", "%31", "%32", "%33")
#define TEXT_64 TEXT_56 ",%28,%29,%30,%31"
#define SUMS_64(d) SUMS_56(d), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
#define INPUTS_64(form) form("%32", "%33", "%34", "%35", "%36", "%37")
#define TEXT_72 TEXT_64 ",%32,%33,%34,%35"
#define SUMS_72(d) SUMS_64(d), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35])
#define INPUTS_72(form) form("%36", "%37", "%38", "%39", "%40", "%41")
#define TEXT_80 TEXT_72 ",%36,%37,%38,%39"
#define SUMS_80(d) SUMS_72(d), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39])
#define INPUTS_80(form) form("%40", "%41", "%42", "%43", "%44", "%45")
#define TEXT_88 TEXT_80 ",%40,%41,%42,%43"
#define SUMS_88(d) SUMS_80(d), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43])
#define INPUTS_88(form) form("%44", "%45", "%46", "%47", "%48", "%49")
#define TEXT_96 TEXT_88 ",%44,%45,%46,%47"
#define SUMS_96(d) SUMS_88(d), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47])
#define INPUTS_96(form) form("%48", "%49", "%50", "%51", "%52", "%53")
#define TEXT_104 TEXT_96 ",%48,%49,%50,%51"
#define SUMS_104(d) SUMS_96(d), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51])
#define INPUTS_104(form) form("%52", "%53", "%54", "%55", "%56", "%57")
#define TEXT_112 TEXT_104 ",%52,%53,%54,%55"
#define SUMS_112(d) SUMS_104(d), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55])
#define INPUTS_112(form) form("%56", "%57", "%58", "%59", "%60", "%61")
#define TEXT_120 TEXT_112 ",%56,%57,%58,%59"
#define SUMS_120(d) SUMS_112(d), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59])
#define INPUTS_120(form) form("%60", "%61", "%62", "%63", "%64", "%65")
#define TEXT_128 TEXT_120 ",%60,%61,%62,%63"
#define SUMS_128(d) SUMS_120(d), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
#define INPUTS_128(form) form("%64", "%65", "%66", "%67", "%68", "%69")
#define TEXT_136 TEXT_128 ",%64,%65,%66,%67"
#define SUMS_136(d) SUMS_128(d), "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67])
#define INPUTS_136(form) form("%68", "%69", "%70", "%71", "%72", "%73")
#define TEXT_144 TEXT_136 ",%68,%69,%70,%71"
#define SUMS_144(d) SUMS_136(d), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71])
#define INPUTS_144(form) form("%72", "%73", "%74", "%75", "%76", "%77")
#define TEXT_152 TEXT_144 ",%72,%73,%74,%75"
#define SUMS_152(d) SUMS_144(d), "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75])
#define INPUTS_152(form) form("%76", "%77", "%78", "%79", "%80", "%81")
#define TEXT_160 TEXT_152 ",%76,%77,%78,%79"
#define SUMS_160(d) SUMS_152(d), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79])
#define INPUTS_160(form) form("%80", "%81", "%82", "%83", "%84", "%85")
#define TEXT_168 TEXT_160 ",%80,%81,%82,%83"
#define SUMS_168(d) SUMS_160(d), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83])
#define INPUTS_168(form) form("%84", "%85", "%86", "%87", "%88", "%89")
#define TEXT_176 TEXT_168 ",%84,%85,%86,%87"
#define SUMS_176(d) SUMS_168(d), "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87])
#define INPUTS_176(form) form("%88", "%89", "%90", "%91", "%92", "%93")
#define TEXT_184 TEXT_176 ",%88,%89,%90,%91"
#define SUMS_184(d) SUMS_176(d), "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91])
#define INPUTS_184(form) form("%92", "%93", "%94", "%95", "%96", "%97")
#define TEXT_192 TEXT_184 ",%92,%93,%94,%95"
#define SUMS_192(d) SUMS_184(d), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95])
#define INPUTS_192(form) form("%96", "%97", "%98", "%99", "%100", "%101")
#define TEXT_200 TEXT_192 ",%96,%97,%98,%99"
#define SUMS_200(d) SUMS_192(d), "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99])
#define INPUTS_200(form) form("%100", "%101", "%102", "%103", "%104", "%105")
#define TEXT_208 TEXT_200 ",%100,%101,%102,%103"
#define SUMS_208(d) SUMS_200(d), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103])
#define INPUTS_208(form) form("%104", "%105", "%106", "%107", "%108", "%109")
#define TEXT_216 TEXT_208 ",%104,%105,%106,%107"
#define SUMS_216(d) SUMS_208(d), "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107])
#define INPUTS_216(form) form("%108", "%109", "%110", "%111", "%112", "%113")
#define TEXT_224 TEXT_216 ",%108,%109,%110,%111"
#define SUMS_224(d) SUMS_216(d), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111])
#define INPUTS_224(form) form("%112", "%113", "%114", "%115", "%116", "%117")
#define TEXT_232 TEXT_224 ",%112,%113,%114,%115"
#define SUMS_232(d) SUMS_224(d), "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115])
#define INPUTS_232(form) form("%116", "%117", "%118", "%119", "%120", "%121")
#define TEXT_240 TEXT_232 ",%116,%117,%118,%119"
#define SUMS_240(d) SUMS_232(d), "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119])
#define INPUTS_240(form) form("%120", "%121", "%122", "%123", "%124", "%125")
#define TEXT_248 TEXT_240 ",%120,%121,%122,%123"
#define SUMS_248(d) SUMS_240(d), "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123])
#define INPUTS_248(form) form("%124", "%125", "%126", "%127", "%128", "%129")
#define TEXT_256 TEXT_248 ",%124,%125,%126,%127"
#define SUMS_256(d) SUMS_248(d), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])
#define INPUTS_256(form) form("%128", "%129", "%130", "%131", "%132", "%133")
