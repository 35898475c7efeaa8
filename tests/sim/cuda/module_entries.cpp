// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules and functions.
#include <algorithm>
#include <string>

#include "cuda/call.h"
#include "cuda/count_reader.h"
#include "cuda/entry_points.h"
#include "cuda/image.h"
#include "cuda/jit_log.h"
#include "stream_api/attributes.h"
#include "stream_api/modules.h"

namespace halyard::cuda::abi {
namespace {

// The entries of machine code, which does not say how its parameters lie: in order, each aligned to its size.
std::vector<sim::Entry> EntriesOf(const sim::HostCode& code) {
  std::vector<sim::Entry> entries;
  for (const sim::KernelCode& kernel : code.kernels()) {
    entries.push_back({kernel.name, sim::NaturalLayout(kernel), {0, 0, 0}, 0});
  }
  return entries;
}

Error LoadModule(const void* bytes, std::shared_ptr<sim::Module>* module, std::string* why) {
  if (const char* const ptx = LinkedPtx(bytes)) return LoadModule(ptx, module, why);
  const Image image = ReadImage(bytes);
  if (image.kind == ImageKind::kUnknown) {
    *why = "the image is neither PTX nor a cubin nor a fatbin";
    return Error::kInvalidImage;
  }
  std::vector<sim::Entry> entries;
  if (image.kind == ImageKind::kPtx) {
    const std::string_view text(reinterpret_cast<const char*>(image.bytes.data()), image.bytes.size());
    if (!ReadPtx(text, &entries, why)) return Error::kInvalidSource;
  }
  auto code = CountReaderCode(image.bytes);
  if (code == nullptr) code = sim::HostCode::Load(Runtime::Get().settings.kernels, sim::ImageName(image.bytes), why);
  if (code == nullptr) return image.kind == ImageKind::kPtx ? Error::kInvalidSource : Error::kNoHostCode;
  if (image.kind != ImageKind::kPtx) entries = EntriesOf(*code);
  *module = sim::MakeModule(CurrentContext(), code, std::move(entries), why);
  return *module == nullptr ? Error::kInvalidImage : Error::kSuccess;
}

std::optional<int> AttributeValue(CUfunction_attribute attribute, const sim::Function& function) {
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return static_cast<int>(function.threads_per_block);
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      return static_cast<int>(function.code->local_memory);
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return static_cast<int>(function.dynamic_shared);
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      return 32;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      return 90;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      return 0;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return -1;
  }
  return std::nullopt;
}

// As many blocks as threads and shared memory allow.
int ActiveBlocks(const sim::Function& function, int block_size, size_t dynamic_shared) {
  const CUdevice device = function.context->device.ordinal;
  const auto limit = [&](CUdevice_attribute attribute) { return AttributeOf(device, attribute).value_or(0); };
  const size_t shared = function.code->local_memory + dynamic_shared;
  int blocks = std::min(limit(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR),
                        limit(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / block_size);
  if (shared != 0) {
    const size_t each = shared + static_cast<size_t>(limit(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK));
    blocks = std::min(
        blocks,
        static_cast<int>(static_cast<size_t>(limit(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)) / each));
  }
  return blocks;
}

}  // namespace

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int count, CUjit_option* options,
                            void** values) {
  return Call(__func__, Requires::kContext, [&] {
    if (module == nullptr || image == nullptr) return Error::kInvalidValue;
    if (count != 0 && (options == nullptr || values == nullptr)) return Error::kInvalidValue;
    const JitLog log(count, options, values);
    std::shared_ptr<sim::Module> made;
    std::string why;
    const Error error = LoadModule(image, &made, &why);
    if (error != Error::kSuccess) {
      log.Write(why);
      return error;
    }
    *module = ToHandle<CUmodule>(Runtime::Get().modules.Add(std::move(made)));
    return Error::kSuccess;
  });
}

CUresult cuModuleUnload(CUmodule module) {
  return Call(__func__, Requires::kContext, [&](Lock& lock) { return UnloadModule(module, lock); });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return Call(__func__, Requires::kContext, [&] { return ModuleFunction(function, module, name); });
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, size_t* bytes, CUmodule module, const char* name) {
  return Call(__func__, Requires::kContext, [&] { return ModuleVariable(address, bytes, module, name); });
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  return Call(__func__, Requires::kContext, [&] {
    const auto found = FindFunction(function);
    if (found == nullptr) return Error::kInvalidHandle;
    const auto known = AttributeValue(attribute, *found);
    if (value == nullptr || !known) return Error::kInvalidValue;
    *value = *known;
    return Error::kSuccess;
  });
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return Call(__func__, Requires::kContext, [&] {
    const auto found = FindFunction(function);
    if (found == nullptr) return Error::kInvalidHandle;
    if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT ||
        attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) {
      return Error::kSuccess;
    }
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return Error::kInvalidValue;
    const uint32_t all = found->context->device.limits.shared_memory_opt_in;
    if (value < 0 || uint64_t(value) + found->code->local_memory > all) return Error::kInvalidValue;
    found->dynamic_shared = static_cast<uint32_t>(value);
    return Error::kSuccess;
  });
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* bytes) {
  return Call(__func__, Requires::kContext, [&] {
    const auto found = FindFunction(function);
    if (found == nullptr) return Error::kInvalidHandle;
    if (offset == nullptr || index >= found->entry.parameters.size()) return Error::kInvalidValue;
    *offset = found->entry.parameters[index].offset;
    if (bytes != nullptr) *bytes = found->entry.parameters[index].size;
    return Error::kSuccess;
  });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int block_size,
                                                     size_t dynamic_shared_bytes) {
  return Call(__func__, Requires::kContext, [&] {
    const auto found = FindFunction(function);
    if (found == nullptr) return Error::kInvalidHandle;
    if (blocks == nullptr || block_size <= 0) return Error::kInvalidValue;
    *blocks = ActiveBlocks(*found, block_size, dynamic_shared_bytes);
    return Error::kSuccess;
  });
}

}  // namespace halyard::cuda::abi
