// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPIRV-Cross, looking at one kernel of a module.
#ifndef HALYARD_TOOLS_REFLECT_SPIRV_COMPILER_H_
#define HALYARD_TOOLS_REFLECT_SPIRV_COMPILER_H_

#include <spirv_cross_c.h>

#include <array>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "halyard/executable.h"
#include "reflect/spirv_module.h"
#include "support/failure.h"

namespace halyard::tools {

/// A buffer that a kernel uses.
struct SpirvBuffer {
  spvc_variable_id variable;
  uint32_t set;
  uint32_t binding;
  hal_binding_access_t access;
  std::string name;
  bool is_uniform;
};

/// One kernel, compiled by SPIRV-Cross. Throws Failure (kInput), with its message, where that refuses something.
class SpirvCompiler {
 public:
  /// @param module  with that kernel alone: SpirvModule::Only()
  SpirvCompiler(const SpirvModule& module, const std::string& kernel, spvc_backend backend);

  spvc_compiler get() const { return compiler_; }
  const std::string& kernel() const { return kernel_; }
  void Check(spvc_result result) const;
  /// Throws a Failure that names file and kernel.
  [[noreturn]] void Refuse(const std::string& what) const;

  /// The same with what SPIRV-Cross says.
  [[noreturn]] void RefuseAsSaid(const std::string& said) const;

  /// What `use(*this)` returns. SPIRV-Cross throws past its C interface where a function has no result to check; here
  /// that becomes a Failure too.
  template <class Use>
  auto Examine(const Use& use) const {
    try {
      return use(*this);
    } catch (const Failure&) {
      throw;
    } catch (const std::exception& error) {
      RefuseAsSaid(error.what());
    }
  }

  /// The variables that are storage and uniform buffers, sorted by set and binding; several may be at one place. Throws
  /// if these are of both kinds, or if the kernel uses anything else.
  std::vector<SpirvBuffer> Buffers() const;
  /// The specialisation constants that give the size of a workgroup in x, y and z; `id` is 0 where none does.
  std::array<spvc_specialization_constant, 3> SizeConstants() const;
  /// The resources of a kind.
  std::vector<spvc_reflected_resource> Resources(spvc_resource_type type) const;

 private:
  void CheckAliases(const std::vector<SpirvBuffer>& buffers) const;
  hal_binding_access_t AccessOf(const spvc_reflected_resource& resource) const;

  struct Destroy {
    void operator()(spvc_context context) const { spvc_context_destroy(context); }
  };

  std::string path_;
  std::string kernel_;
  std::vector<std::string> capabilities_;
  std::unique_ptr<std::remove_pointer_t<spvc_context>, Destroy> context_;
  spvc_compiler compiler_ = nullptr;  // these two belong to the context
  spvc_resources resources_ = nullptr;
};

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_REFLECT_SPIRV_COMPILER_H_
