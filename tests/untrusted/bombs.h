// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small files, right by each rule of their format or nearly so, that repeat one thing very often.
#ifndef HALYARD_TESTS_UNTRUSTED_BOMBS_H_
#define HALYARD_TESTS_UNTRUSTED_BOMBS_H_

#include <span>
#include <string>
#include <vector>

namespace halyard::testing {

struct Bomb {
  std::string name;
  std::string format;  ///< as in hal_executable_params_t; "halx" for executable files
  std::string bytes;

  std::span<const std::byte> view() const { return std::as_bytes(std::span(bytes)); }
};

std::vector<Bomb> PtxBombs();
std::vector<Bomb> SpirvBombs();
std::vector<Bomb> ElfBombs();   ///< cubins, code objects of AMD and shared objects of hosts
std::vector<Bomb> PackBombs();  ///< fatbins and offload bundles
/// Executable files.
/// @param image  of the format and target, with the symbol
std::vector<Bomb> FileBombs(const std::string& image, const std::string& format, const std::string& target,
                            const std::string& symbol);

/// All except executable files.
std::vector<Bomb> ImageBombs();

}  // namespace halyard::testing

#endif  // HALYARD_TESTS_UNTRUSTED_BOMBS_H_
