// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of the library and of C++.
#ifndef HALYARD_PYTHON_TEXT_H_
#define HALYARD_PYTHON_TEXT_H_

#include <halyard/base.h>

#include <string>

namespace halyard::python {

inline std::string View(hal_string_view_t text) { return std::string(text.data ? text.data : "", text.size); }
/// The text must outlive the view.
inline hal_string_view_t View(const std::string& text) { return {text.data(), text.size()}; }

}  // namespace halyard::python

#endif  // HALYARD_PYTHON_TEXT_H_
