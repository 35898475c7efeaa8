// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of Triton's cache as exports of an executable file. Images of one kernel for several devices are one
// export; specialisations of a kernel are exports of their own.
#ifndef HALYARD_TOOLS_PACK_TRITON_EXPORTS_H_
#define HALYARD_TOOLS_PACK_TRITON_EXPORTS_H_

#include <deque>
#include <span>
#include <string>
#include <vector>

#include "image/halx/container_contents.h"
#include "pack/options.h"
#include "pack/triton/triton_variant.h"

namespace halyard::tools {

class TritonExports {
 public:
  /// Reads what --triton names. Of a folder with several kernels, those that no dispatch can run are left out. Throws
  /// Failure (kInput) for a file that is missing, damaged or contradicts another, for such a kernel that was named, and
  /// for exports whose names would be the same.
  explicit TritonExports(std::span<const TritonOption> options);

  /// Appends the exports and one variant for each image: views into this object.
  void AppendTo(ContainerContents* contents) const;
  /// Appends what a user should know: kernels that were left out, new names, grids that clusters multiply.
  void AppendNotes(std::vector<std::string>* notes) const;

 private:
  struct Export {
    std::string name;
    bool is_named = false;  // by the user
    std::string origin;     // the metadata's path
    std::vector<TritonVariant> variants;
  };

  void Add(const std::string& name, const TritonKernel& kernel, bool is_one_of_many);
  Export* FindSameKernel(const std::string& name, bool is_named, const std::vector<TritonVariant>& variants);
  void NameSpecializations();
  void CheckNames() const;

  std::deque<Export> exports_;
  std::vector<std::string> left_out_;  // and why
};

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_TRITON_EXPORTS_H_
