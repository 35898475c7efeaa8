// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much metadata says, if what is shared in it is counted each time.
#ifndef HALYARD_IMAGE_HALX_METADATA_SHARING_H_
#define HALYARD_IMAGE_HALX_METADATA_SHARING_H_

#include <cstddef>

#include "base/status.h"
#include "executable_generated.h"

namespace halyard {

/// Several tables of a FlatBuffer can refer to one text or list, which are copied for each of them later. All together
/// may be four times as long as the metadata, which leaves room for writers that share names.
///
/// @param executable  of a verified FlatBuffer
/// @param size        bytes of the FlatBuffer
/// @return DATA_LOSS if they are longer
Status CheckSharing(const schemas::Executable& executable, size_t size);

}  // namespace halyard

#endif  // HALYARD_IMAGE_HALX_METADATA_SHARING_H_
