// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The modules of tests/corpus/mlir, for the version of MLIR that compiles them.
#ifndef HALYARD_TESTS_MEMREF_CORPUS_H_
#define HALYARD_TESTS_MEMREF_CORPUS_H_

#include <string>
#include <vector>

#include "import_module.h"

namespace halyard::testing {

/// The text of a file of the corpus.
std::string CorpusFile(const std::string& name);
/// A module of the corpus without the functions that the version has not; empty if it has none of them, or not
/// what they call.
std::string CorpusModule(const std::string& name);
/// What halyard-pack is told: the version, if the environment's HALYARD_MLIR_VERSION asks for one.
std::vector<std::string> CorpusOptions();

/// What the module imports as "callback": the sum of x's elements times `factor`.
inline float CallBack(Memref1* x, float factor) {
  float sum = 0;
  for (int64_t i = 0; i < x->size; ++i) sum += x->aligned[i] * factor;
  return sum;
}

}  // namespace halyard::testing

#endif  // HALYARD_TESTS_MEMREF_CORPUS_H_
