// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/native/metal_errors.h"

namespace halyard::metal {

Status FailCall(hal_status_t status, const char* call, NSError* error) {
  const std::string_view text = FromNSString([error localizedDescription]);
  if (text.empty()) return Fail(status, "%s failed, and Metal does not say why", call);
  return Fail(status, "%s: %.*s (%.*s %ld)", call, HALYARD_SV(text), HALYARD_SV(FromNSString([error domain])),
              static_cast<long>([error code]));
}

Status FailNil(const char* call) {
  return Fail(HAL_STATUS_RESOURCE_EXHAUSTED, "Metal made no object: %s returned nil", call);
}

NSString* ToNSString(std::string_view text) {
  return [[[NSString alloc] initWithBytes:text.data() length:text.size() encoding:NSUTF8StringEncoding] autorelease];
}

std::string_view FromNSString(NSString* text) {
  const char* const bytes = [text UTF8String];
  return bytes ? bytes : "";
}

}  // namespace halyard::metal
