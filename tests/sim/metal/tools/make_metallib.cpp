// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the stand-in for a .metallib file, which the simulated Metal loads:
//
//   halyard-sim-metallib IN.metal OUT.metallib
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "framework/library/metallib_file.h"

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: halyard-sim-metallib IN.metal OUT.metallib\n");
    return 2;
  }
  std::ifstream in(arguments[1], std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "halyard-sim-metallib: cannot read %s\n", arguments[1]);
    return 1;
  }
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::ofstream out(arguments[2], std::ios::binary);
  if (!(out << halyard::metal_sim::WriteMetallib(text)).flush()) {
    std::fprintf(stderr, "halyard-sim-metallib: cannot write %s\n", arguments[2]);
    return 1;
  }
  return 0;
}
