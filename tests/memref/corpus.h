// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The modules of tests/corpus/mlir, for the version of MLIR that compiles them.
#ifndef HALYARD_TESTS_MEMREF_CORPUS_H_
#define HALYARD_TESTS_MEMREF_CORPUS_H_

#include <string>
#include <vector>

namespace halyard::testing {

/// The text of a file of the corpus.
std::string CorpusFile(const std::string& name);
/// A module of the corpus without the functions that the version has not; empty if it has none of them, or not
/// what they call.
std::string CorpusModule(const std::string& name);
/// What halyard-pack is told: the version, if the environment's HALYARD_MLIR_VERSION asks for one.
std::vector<std::string> CorpusOptions();

}  // namespace halyard::testing

#endif  // HALYARD_TESTS_MEMREF_CORPUS_H_
