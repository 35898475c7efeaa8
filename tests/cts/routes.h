// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ways in which a fill, update, copy, strided copy or dispatch reaches a device. What it does must not depend on
// the way.
#ifndef HALYARD_TESTS_CTS_ROUTES_H_
#define HALYARD_TESTS_CTS_ROUTES_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "cts/device.h"

namespace halyard::cts {

enum class Route {
  kQueue,    ///< an operation of the queue
  kCommand,  ///< a command in a command buffer
  kTable,    ///< a command that takes its buffers from the binding table
};
std::string NameOf(Route route);
void PrintTo(Route route, std::ostream* out);
/// All routes, to go through in a test, and as parameters.
inline constexpr Route kRoutes[] = {Route::kQueue, Route::kCommand, Route::kTable};
inline auto Routes() { return testing::ValuesIn(kRoutes); }

/// Submits single commands on one route. The device must outlive it. Whatever call refuses a command first gives the
/// result.
class Submitter {
 public:
  Submitter(const Device& device, Route route) : device_(device), route_(route) {}

  hal_status_t SubmitFill(const Points& waits, const Points& signals, const Ref& target, const void* pattern,
                          size_t pattern_size) const;
  hal_status_t SubmitUpdate(const Points& waits, const Points& signals, const void* data, const Ref& target) const;
  hal_status_t SubmitCopy(const Points& waits, const Points& signals, const Ref& source, const Ref& target) const;
  hal_status_t SubmitCopyStrided(const Points& waits, const Points& signals,
                                 const hal_strided_copy_params_t& params) const;
  hal_status_t SubmitDispatch(const Points& waits, const Points& signals, const Executable& executable,
                              std::string_view name, const Dispatch& dispatch) const;

  /// @name The same without waits, done when they return. A command that was refused or failed gives its status.
  /// @{
  template <class T>
  hal_status_t Fill(const Ref& target, T pattern) const {
    return FillWith(target, &pattern, sizeof(pattern));
  }
  hal_status_t FillWith(const Ref& target, const void* pattern, size_t pattern_size) const;
  hal_status_t Update(const void* data, const Ref& target) const;
  hal_status_t Copy(const Ref& source, const Ref& target) const;
  hal_status_t CopyStrided(const hal_strided_copy_params_t& params) const;
  hal_status_t Dispatch(const Executable& executable, std::string_view name, const cts::Dispatch& dispatch) const;
  /// @}

 private:
  using Record = std::function<hal_status_t(const CommandBuffer&, const std::vector<hal_buffer_ref_t>& refs)>;
  /// Records one command that uses `refs`, or slots that stand for them, and executes it.
  hal_status_t Execute(const Points& waits, const Points& signals, const std::vector<hal_buffer_ref_t>& refs,
                       const Record& record) const;
  hal_status_t Finish(const std::function<hal_status_t(const Points& waits, const Points& signals)>& submit) const;

  const Device& device_;
  Route route_;
};

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_ROUTES_H_
