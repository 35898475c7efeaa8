// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The linker, as far as it compiles PTX: one input, which is checked as a module's is.
#include <cstring>
#include <string>
#include <vector>

#include "cuda/call.h"
#include "cuda/entry_points.h"
#include "cuda/image.h"
#include "cuda/jit_log.h"
#include "host_code/host_code.h"

namespace halyard::cuda::abi {
namespace {

struct Link {
  JitLog log;
  std::string ptx;
  std::vector<std::byte> cubin;
};

Link* ToLink(CUlinkState state) { return reinterpret_cast<Link*>(state); }

}  // namespace

CUresult cuLinkCreate_v2(unsigned int count, CUjit_option* options, void** values, CUlinkState* state) {
  return Call(__func__, Requires::kContext, [&] {
    if (state == nullptr || (count != 0 && (options == nullptr || values == nullptr))) return Error::kInvalidValue;
    *state = reinterpret_cast<CUlinkState>(new Link{JitLog(count, options, values), {}, {}});
    return Error::kSuccess;
  });
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void* data, size_t bytes, const char*, unsigned int,
                          CUjit_option*, void**) {
  return Call(__func__, Requires::kContext, [&] {
    if (state == nullptr || data == nullptr || bytes == 0) return Error::kInvalidValue;
    if (type != CU_JIT_INPUT_PTX) return Error::kNotSupported;
    const char* const text = static_cast<const char*>(data);
    if (text[bytes - 1] != '\0') return Error::kInvalidValue;
    std::vector<sim::Entry> entries;
    std::string why;
    if (ReadImage(text).kind != ImageKind::kPtx || !ReadPtx(text, &entries, &why)) {
      ToLink(state)->log.Write(why.empty() ? "the input is no PTX" : why);
      return Error::kInvalidSource;
    }
    ToLink(state)->ptx = text;
    return Error::kSuccess;
  });
}

CUresult cuLinkComplete(CUlinkState state, void** cubin, size_t* bytes) {
  return Call(__func__, Requires::kContext, [&] {
    if (state == nullptr || cubin == nullptr || bytes == nullptr) return Error::kInvalidValue;
    Link& link = *ToLink(state);
    link.cubin = LinkPtx(link.ptx);
    *cubin = link.cubin.data();
    *bytes = link.cubin.size();
    return Error::kSuccess;
  });
}

CUresult cuLinkDestroy(CUlinkState state) {
  return Call(__func__, Requires::kContext, [&] {
    delete ToLink(state);
    return Error::kSuccess;
  });
}

}  // namespace halyard::cuda::abi
