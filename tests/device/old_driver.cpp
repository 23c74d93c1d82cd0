// SPDX-License-Identifier: Apache-2.0
// A libcuda.so.1 that lacks most of the driver's functions.
extern "C" [[gnu::visibility("default")]] int cuInit(unsigned) { return 0; }
