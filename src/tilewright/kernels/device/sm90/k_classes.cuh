// A and B that lie along m and n, with rows of k of any size, without a copy: splits that take every eighth k.
//
// The copy engine reads only from multiples of 16 bytes, and of rows of any number of 16-bit elements every eighth
// begins equally far past one (row_classes.cuh). Where the rows are those of k, all k of a class make up a product of
// their own, whose operands the engine can address: A and B begin at the boundaries before their first elements, and so
// C begins up to seven rows and seven columns later than the class's sums. Classes are splits: splitk_reduce.cu adds
// the sums of each from where C begins. What lies before comes from the row of k before, and reaches no result.
#pragma once

#ifndef K_CLASSES
#define K_CLASSES 0
#endif

constexpr int CLASSES_OF_K = K_CLASSES ? 8 : 1; // split number i takes class i % 8, and a part of its k
