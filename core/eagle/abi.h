/* SPDX-License-Identifier: Apache-2.0 */
/* The C ABI between eagle and a plugin: the argument boxes, the entry points and the two exported symbols.
 *
 * Little-endian, 64-bit. Strides count elements, never bytes. A plugin needs this header and nothing else of eagle. */
#ifndef EAGLE_ABI_H
#define EAGLE_ABI_H

#include <stddef.h>
#include <stdint.h>

#define EAGLE_ABI_V1 "aether-abi/1"
#define EAGLE_ABI_V2 "aether-abi/2"

#ifdef __cplusplus
#define EAGLE_EXTERN_C extern "C"
#define EAGLE_STATIC_ASSERT static_assert
#else
#define EAGLE_EXTERN_C
#define EAGLE_STATIC_ASSERT _Static_assert
#endif
#define EAGLE_EXPORT __attribute__((visibility("default")))

/* Marks a function for host and device alike. */
#if defined(__CUDACC__) || defined(__HIPCC__)
#define EAGLE_FUNCTION __host__ __device__
#else
#define EAGLE_FUNCTION
#endif

/* Device codes are DLPack's. */
enum { EAGLE_DEVICE_CPU = 1, EAGLE_DEVICE_CUDA = 2 };

/* A plane of vectors or matrices: component c of sample i is data[c * compStride + i * sampleStride]; an R x C matrix is
 * flat, row-major: component r * C + k. eagle hands planes over with sampleStride 1 only. */
typedef struct GRefMirror {
  void* data;
  uint64_t samples;
  uint64_t compStride;
  uint64_t sampleStride;
  int32_t deviceType;
  int32_t deviceId;
} GRefMirror;

/* A plane of scalars, a table, or an accumulate plane: element i is data[i * stride]; stride is 1. */
typedef struct ScalarHandle {
  void* data;
  uint64_t samples;
  uint64_t stride;
  int32_t deviceType;
  int32_t deviceId;
} ScalarHandle;

/* The same box for integer planes. */
typedef ScalarHandle IntHandle;

/* One contiguous part of a run: samples [base, base + count) of nSamples. */
typedef struct PartitionTriple {
  int64_t base;
  int64_t count;
  int64_t nSamples;
} PartitionTriple;

EAGLE_STATIC_ASSERT(sizeof(void*) == 8, "eagle needs a 64-bit platform");
EAGLE_STATIC_ASSERT(sizeof(GRefMirror) == 40, "GRefMirror is 40 bytes");
EAGLE_STATIC_ASSERT(offsetof(GRefMirror, samples) == 8, "GRefMirror.samples at 8");
EAGLE_STATIC_ASSERT(offsetof(GRefMirror, compStride) == 16, "GRefMirror.compStride at 16");
EAGLE_STATIC_ASSERT(offsetof(GRefMirror, sampleStride) == 24, "GRefMirror.sampleStride at 24");
EAGLE_STATIC_ASSERT(offsetof(GRefMirror, deviceType) == 32, "GRefMirror.deviceType at 32");
EAGLE_STATIC_ASSERT(offsetof(GRefMirror, deviceId) == 36, "GRefMirror.deviceId at 36");
EAGLE_STATIC_ASSERT(sizeof(ScalarHandle) == 32, "ScalarHandle is 32 bytes");
EAGLE_STATIC_ASSERT(offsetof(ScalarHandle, samples) == 8, "ScalarHandle.samples at 8");
EAGLE_STATIC_ASSERT(offsetof(ScalarHandle, stride) == 16, "ScalarHandle.stride at 16");
EAGLE_STATIC_ASSERT(offsetof(ScalarHandle, deviceType) == 24, "ScalarHandle.deviceType at 24");
EAGLE_STATIC_ASSERT(offsetof(ScalarHandle, deviceId) == 28, "ScalarHandle.deviceId at 28");
EAGLE_STATIC_ASSERT(sizeof(IntHandle) == 32, "IntHandle is 32 bytes");
EAGLE_STATIC_ASSERT(sizeof(PartitionTriple) == 24, "PartitionTriple is 24 bytes");
EAGLE_STATIC_ASSERT(offsetof(PartitionTriple, count) == 8, "PartitionTriple.count at 8");
EAGLE_STATIC_ASSERT(offsetof(PartitionTriple, nSamples) == 16, "PartitionTriple.nSamples at 16");

/* Host entry of a v2 plugin: drives samples [base, base + count), addressing planes by global index; params[k] points at
 * the k-th box of arg_spec. */
typedef void (*eagle_host_entry_v2)(void* const* params, int64_t base, int64_t count, int64_t nSamples);
/* Host entry of a v1 plugin: the whole view, n samples. */
typedef void (*eagle_host_entry_v1)(void* const* params, int32_t n);

/* What every v2 artifact exports, so that a binary built against other boxes is refused before it runs:
 * eagle_layout_sizes, five u64 {GRefMirror, ScalarHandle, IntHandle, index, PartitionTriple}, and eagle_abi_tag.
 * The index word is 4 where the body computes element indices in 32 bits, 8 where it does so in 64. */
#define EAGLE_LAYOUT_WORDS 5
#define EAGLE_LAYOUT_SIZES(index_bytes) \
  {sizeof(GRefMirror), sizeof(ScalarHandle), sizeof(IntHandle), (index_bytes), sizeof(PartitionTriple)}

#endif
