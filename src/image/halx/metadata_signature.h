// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of the metadata that says what functions take and return.
#ifndef HALYARD_IMAGE_HALX_METADATA_SIGNATURE_H_
#define HALYARD_IMAGE_HALX_METADATA_SIGNATURE_H_

#include "base/status.h"
#include "executable_generated.h"
#include "function/signature.h"

namespace halyard {

/// What a decoder answers where the FlatBuffer is verified and makes no sense.
inline constexpr hal_status_t kBadMetadata = HAL_STATUS_DATA_LOSS;

/// Decodes a signature of a verified FlatBuffer. Checks what can no longer be told afterwards: absent tables, enum
/// values, lists of numbers that are not as long as they should be. DATA_LOSS; messages begin behind "signature.".
Status DecodeSignature(const schemas::Signature& given, OwnedSignature* out);

/// Encodes a checked signature; nothing for NULL.
flatbuffers::Offset<schemas::Signature> EncodeSignature(flatbuffers::FlatBufferBuilder& builder,
                                                        const hal_function_signature_t* signature);

}  // namespace halyard

#endif  // HALYARD_IMAGE_HALX_METADATA_SIGNATURE_H_
