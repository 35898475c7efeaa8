// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the backend uses of ggml and of Halyard, and how failures of the latter become those of the former.
#ifndef INTEGRATIONS_GGML_GGML_HEADERS_H_
#define INTEGRATIONS_GGML_GGML_HEADERS_H_

#include <halyard/halyard.hpp>
#include <new>
#include <string>
#include <utility>

#include "ggml-backend-impl.h"
#include "ggml-backend.h"
#include "ggml-impl.h"
#include "ggml.h"

namespace halyard_ggml {

/// Calls `work`, and turns its failure into a ggml status. ggml's functions of C must not be left by an exception.
template <class Work>
ggml_status Guarded(const char* what, Work&& work) noexcept {
  try {
    std::forward<Work>(work)();
    return GGML_STATUS_SUCCESS;
  } catch (const hal::Error& error) {
    GGML_LOG_ERROR("halyard: %s: %s\n", what, error.what());
    return error.code() == HAL_STATUS_RESOURCE_EXHAUSTED ? GGML_STATUS_ALLOC_FAILED : GGML_STATUS_FAILED;
  } catch (const std::bad_alloc&) {
    GGML_LOG_ERROR("halyard: %s: out of host memory\n", what);
    return GGML_STATUS_ALLOC_FAILED;
  } catch (const std::exception& error) {
    GGML_LOG_ERROR("halyard: %s: %s\n", what, error.what());
    return GGML_STATUS_FAILED;
  }
}

}  // namespace halyard_ggml

#endif  // INTEGRATIONS_GGML_GGML_HEADERS_H_
