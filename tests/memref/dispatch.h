// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dispatches of functions, with buffers of floats as their bindings.
#ifndef HALYARD_TESTS_MEMREF_DISPATCH_H_
#define HALYARD_TESTS_MEMREF_DISPATCH_H_

#include <string>
#include <vector>

#include "functions.h"

namespace halyard::testing {

/// A device with an executable, and bindings to dispatch its functions with.
class DispatchTest : public FunctionTest {
 protected:
  ~DispatchTest() override;

  /// Adds a binding of floats, with a shape if there are sizes.
  void Bind(const std::vector<float>& values, std::vector<int64_t> sizes = {}, std::vector<int64_t> strides = {});
  /// Adds the buffer of an earlier binding.
  void BindAgain(size_t binding, std::vector<int64_t> sizes = {});
  /// Parameters with all bindings. Good until the next call.
  hal_dispatch_params_t Params(bool with_shapes);
  /// The same with a constant, which must outlive them.
  template <class T>
  hal_dispatch_params_t Params(bool with_shapes, const T& constant) {
    hal_dispatch_params_t params = Params(with_shapes);
    params.constants = &constant;
    params.constants_size = sizeof(constant);
    return params;
  }
  /// Has the counts read from a buffer that holds them.
  void MakeIndirect(const hal_dim3_t& counts, hal_dispatch_params_t* params);

  /// Dispatches with a semaphore of its own, as one that failed stays so.
  hal_status_t Submit(const hal_dispatch_params_t& params, uint32_t ordinal = 0);
  /// Waits for what was submitted last.
  hal_status_t Wait();
  /// Dispatches and waits.
  hal_status_t Run(const hal_dispatch_params_t& params, uint32_t ordinal = 0);
  /// Records the dispatch in a command buffer, runs that and waits.
  hal_status_t RunRecorded(const hal_dispatch_params_t& params, uint32_t ordinal = 0);

  std::vector<float> Read(size_t binding);
  /// Writes zeroes to every binding.
  void Clear();

 private:
  hal_timeline_point_t NewPoint();
  hal_status_t Record(hal_command_buffer_t* commands, const hal_dispatch_params_t& params, uint32_t ordinal);
  hal_status_t Execute(hal_command_buffer_t* commands);

  hal_semaphore_t* done_ = nullptr;
  hal_buffer_t* counts_ = nullptr;
  std::vector<hal_buffer_t*> buffers_;
  std::vector<hal_buffer_ref_t> refs_;
  std::vector<std::vector<int64_t>> sizes_;
  std::vector<std::vector<int64_t>> strides_;
  std::vector<hal_shape_t> shapes_;
};

/// Where both local devices run functions.
inline const auto kLocalDevices = ::testing::Values("local://sync", "local://task");
/// "sync" of "local://sync".
inline std::string DeviceName(const ::testing::TestParamInfo<const char*>& tested) {
  return std::string(tested.param).substr(8);
}

}  // namespace halyard::testing

#endif  // HALYARD_TESTS_MEMREF_DISPATCH_H_
