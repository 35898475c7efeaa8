// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Metal says of a failure, as a status and a message.
#ifndef HALYARD_METAL_NATIVE_METAL_ERRORS_H_
#define HALYARD_METAL_NATIVE_METAL_ERRORS_H_

#import <Foundation/Foundation.h>

#include "base/status.h"

namespace halyard::metal {

/// Fails with "call: text", where `error` has one; it may be nil.
Status FailCall(hal_status_t status, const char* call, NSError* error);
/// RESOURCE_EXHAUSTED: Metal made no object, and said nothing.
Status FailNil(const char* call);

NSString* ToNSString(std::string_view text);
/// The bytes live as long as the string; "" for nil.
std::string_view FromNSString(NSString* text);

}  // namespace halyard::metal

#endif  // HALYARD_METAL_NATIVE_METAL_ERRORS_H_
