// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a method says that it could not do what it was asked for.
#ifndef HALYARD_SIM_METAL_FRAMEWORK_REFUSAL_H_
#define HALYARD_SIM_METAL_FRAMEWORK_REFUSAL_H_

#include <string>

#include "framework/base.h"

namespace halyard::metal_sim {

// Sets an error with a description, if the caller wants one.
inline void SetError(NSError** error, NSString* domain, NSInteger code, const std::string& text) {
  if (error != nullptr) *error = MakeError(domain, code, [NSString stringWithUTF8String:text.c_str()]);
}

// Whether a test wants this call to fail. The error says so then.
inline bool Refused(SEL call, NSError** error, NSString* domain, NSInteger code) {
  if (!CallFails(call)) return false;
  SetError(error, domain, code, std::string("a test wants ") + sel_getName(call) + " to fail");
  return true;
}

// What Apple's framework ends the process for: it is reported, and the call does nothing.
inline bool Misused(bool wrong, SEL call, const std::string& what) {
  if (wrong) Report("invalid-argument", std::string(sel_getName(call)) + ": " + what);
  return wrong;
}

}  // namespace halyard::metal_sim

#endif  // HALYARD_SIM_METAL_FRAMEWORK_REFUSAL_H_
