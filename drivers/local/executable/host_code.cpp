// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local/executable/host_code.h"

#include <span>

#include "base/dynamic_library.h"
#include "driver_kit/executable/image_of.h"
#include "function/import_table.h"
#include "image/host_object/host_externals.h"
#include "image/shared_object/open_image.h"
#include "platform/code_memory.h"

namespace halyard::local {
namespace {

std::span<const hal_function_import_t> ImportsOf(const hal_executable_params_t& params) {
  return {params.imports, params.imports ? params.import_count : 0};
}

class SharedObjectCode final : public HostCode {
 public:
  Status Load(const hal_executable_params_t& params) {
    // Read, not opened by path: the loader gives two loads of one path the same library, even if the file has changed.
    HAL_TRY(WithImage(params, [this](std::span<const std::byte> image) { return OpenImage(image, &library_); }));
    auto* const pointer = static_cast<ImportTable**>(library_.Find(ImportTable::kSymbol));
    imports_ = pointer ? *pointer : nullptr;
    return FillImports(imports_, ImportsOf(params));
  }

  const char* Name() const override { return "the shared object"; }
  bool IsGuarded() const override { return imports_ != nullptr; }
  const void* FindCode(uint32_t, const HostString& symbol) const override { return library_.Find(symbol.c_str()); }
  bool Has(const HostString& symbol) const override { return library_.Find(symbol.c_str()) != nullptr; }
  Status FindVariable(const HostString& symbol, void** out_address, uint64_t* out_size) const override {
    return library_.FindVariable(symbol.c_str(), out_address, out_size);
  }

 private:
  DynamicLibrary library_;
  ImportTable* imports_ = nullptr;  // in the library; NULL if it has none
};

class ObjectCode final : public HostCode {
 public:
  Status Load(const hal_executable_params_t& params, CodeArenas& arenas) {
    HAL_TRY(CheckGivenImports(ImportsOf(params)));
    HostExternals externals(ImportsOf(params));
    HAL_TRY(
        WithImage(params, [&](std::span<const std::byte> image) { return object_.Link(image, externals, arenas); }));
    is_guarded_ = externals.gives_abort();
    return kOk;
  }

  const char* Name() const override { return "the object"; }
  bool IsGuarded() const override { return is_guarded_; }
  const void* FindCode(uint32_t, const HostString& symbol) const override {
    const LinkedSymbol* const found = object_.Find(symbol);
    return found && found->part == CodePart::kCode ? found->address : nullptr;
  }
  bool Has(const HostString& symbol) const override { return object_.Find(symbol) != nullptr; }
  Status FindVariable(const HostString& symbol, void** out_address, uint64_t* out_size) const override {
    const LinkedSymbol* const found = object_.Find(symbol);
    if (!found || !found->is_variable) {
      return Fail(HAL_STATUS_NOT_FOUND, "the object defines no variable '%s'", symbol.c_str());
    }
    if (found->part != CodePart::kData) {
      return Fail(HAL_STATUS_INCOMPATIBLE, "the variable '%s' of the object is constant: no buffer can hold it",
                  symbol.c_str());
    }
    *out_address = found->address;
    *out_size = found->size;
    return kOk;
  }

 private:
  LinkedObject object_;
  bool is_guarded_ = false;
};

class GivenCode final : public HostCode {
 public:
  explicit GivenCode(std::span<const hal_host_function_t> functions) : functions_(functions.begin(), functions.end()) {}

  const char* Name() const override { return "the list of functions"; }
  bool IsGuarded() const override { return false; }
  const void* FindCode(uint32_t ordinal, const HostString&) const override {
    return reinterpret_cast<const void*>(functions_[ordinal]);
  }
  bool Has(const HostString&) const override { return false; }
  Status FindVariable(const HostString& symbol, void**, uint64_t*) const override {
    return Fail(HAL_STATUS_NOT_FOUND, "functions of the process come without variables: there is no '%s'",
                symbol.c_str());
  }

 private:
  HostVector<hal_host_function_t> functions_;
};

Status TakeFunctions(const hal_executable_params_t& params, std::unique_ptr<HostCode>* out_code) {
  if (params.import_count != 0) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT, "functions of the process have no imports");
  }
  *out_code = std::make_unique<GivenCode>(std::span(params.functions, params.function_count));
  return kOk;
}

template <class Code, class... Arguments>
Status Load(const hal_executable_params_t& params, std::unique_ptr<HostCode>* out_code, Arguments&&... arguments) {
  auto code = std::make_unique<Code>();
  HAL_TRY(code->Load(params, arguments...));
  *out_code = std::move(code);
  return kOk;
}

}  // namespace

bool IsHostFormat(std::string_view format) {
  return format == HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT || format == HAL_EXECUTABLE_FORMAT_HOST_FUNCTIONS ||
         (format == HAL_EXECUTABLE_FORMAT_HOST_OBJECT && HasCodeMemory());
}

Status MakeHostCode(const hal_executable_params_t& params, CodeArenas& arenas, std::unique_ptr<HostCode>* out_code) {
  const std::string_view format = View(params.format);
  if (format == HAL_EXECUTABLE_FORMAT_HOST_FUNCTIONS) return TakeFunctions(params, out_code);
  if (format == HAL_EXECUTABLE_FORMAT_HOST_OBJECT) return Load<ObjectCode>(params, out_code, arenas);
  return Load<SharedObjectCode>(params, out_code);
}

}  // namespace halyard::local
