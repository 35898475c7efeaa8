// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA's container of several images (a fatbin).
#ifndef HALYARD_IMAGE_REFLECTION_FATBIN_H_
#define HALYARD_IMAGE_REFLECTION_FATBIN_H_

#include "image/reflection/reflected_image.h"
#include "image/shared_object/bytes.h"

namespace halyard {

enum class FatbinKind : uint16_t { kPtx = 1, kCubin = 2 };

struct FatbinEntry {
  FatbinKind kind = FatbinKind::kPtx;
  uint32_t architecture = 0;   ///< 90 for sm_90 and compute_90
  bool is_compressed = false;  ///< then `contents` cannot be read here
  Bytes contents;
};

bool LooksLikeFatbin(Bytes image);

/// Lists the entries for kernels; entries of other kinds are left out.
/// @return DATA_LOSS, with the field. May throw std::bad_alloc.
Status ReadFatbin(Bytes image, HostVector<FatbinEntry>* out_entries);

/// What the first entry tells that is not compressed: PTX before machine code, as it tells more.
/// @return as ReflectPtx() and ReflectCubin(); INCOMPATIBLE if all are compressed, or if there are none
Status ReflectFatbin(Bytes image, ReflectedImage* out_image);

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_FATBIN_H_
