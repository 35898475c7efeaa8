// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every exported function, from the list that the ABI tests keep, so that none is forgotten: with NULL for everything,
// with an object of another kind for each object, with numbers at the edges of 64 bits. What the arguments are is read
// off the functions' types.
#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/validation/object_kind.h"
#include "driver_kit/object/object.h"
#include "halyard/dlpack.h"
#include "halyard/driver_api.h"
#include "halyard/halyard.h"
#include "halyard/memref.h"
#include "halyard/vulkan_interop.h"

namespace halyard {
namespace {

using ::testing::HasSubstr;

/// Functions that would wait for ever, end the process' own settings, or take any number for one of an object.
bool IsLeftOutAtEdges(std::string_view function) {
  return function.find("_wait") != std::string_view::npos || function == "hal_set_host_allocator" ||
         function == "hal_set_log_callback";
}

/// One object of every kind, of the null device, which lets everything be.
struct Objects {
  Objects() {
    EXPECT_EQ(hal_registry_create(registry.out()), HAL_STATUS_OK);
    EXPECT_EQ(hal_registry_open_driver(registry.get(), hal_string_view("null"), driver.out()), HAL_STATUS_OK);
    EXPECT_EQ(hal_driver_create_device(driver.get(), hal_string_view(""), 0, nullptr, device.out()), HAL_STATUS_OK);
    const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    EXPECT_EQ(hal_allocator_allocate(hal_device_allocator(device.get()), &params, 64, buffer.out()), HAL_STATUS_OK);
    const int64_t size = 16;
    EXPECT_EQ(hal_buffer_view_create(buffer.get(), HAL_ELEMENT_TYPE_I32, 1, &size, view.out()), HAL_STATUS_OK);
    EXPECT_EQ(hal_semaphore_create(device.get(), nullptr, semaphore.out()), HAL_STATUS_OK);
    EXPECT_EQ(hal_fence_create(1, fence.out()), HAL_STATUS_OK);
    EXPECT_EQ(hal_event_create(device.get(), event.out()), HAL_STATUS_OK);
    hal_device_t* const grouped = device.get();
    EXPECT_EQ(hal_device_group_create(1, &grouped, group.out()), HAL_STATUS_OK);
    const hal_command_buffer_params_t recording = HAL_INIT(hal_command_buffer_params_t);
    EXPECT_EQ(hal_command_buffer_create(device.get(), &recording, commands.out()), HAL_STATUS_OK);
    EXPECT_EQ(hal_command_buffer_begin(commands.get()), HAL_STATUS_OK);
    EXPECT_EQ(hal_executable_cache_create(device.get(), nullptr, cache.out()), HAL_STATUS_OK);
    EXPECT_EQ(hal_descriptor_set_layout_create(device.get(), 0, nullptr, set.out()), HAL_STATUS_OK);
    EXPECT_EQ(hal_pipeline_layout_create(device.get(), 0, nullptr, 0, layout.out()), HAL_STATUS_OK);
    EXPECT_EQ(hal_file_from_memory(memory.data(), memory.size(), HAL_FILE_ACCESS_READ, nullptr, nullptr, file.out()),
              HAL_STATUS_OK);
    hal_device_t* const rank = device.get();
    EXPECT_EQ(hal_channel_create_all(1, &rank, 0, channel.out()), HAL_STATUS_OK);
    EXPECT_EQ(hal_stream_create(device.get(), nullptr, stream.out()), HAL_STATUS_OK);
    hal_executable_params_t kernels = HAL_INIT(hal_executable_params_t);
    kernels.format = hal_string_view("null");
    kernels.data = memory.data();
    kernels.data_size = memory.size();
    hal_export_info_t exported = HAL_EXPORT_INFO_INIT;
    exported.name = hal_string_view("nothing");
    kernels.exports = &exported;
    kernels.export_count = 1;
    EXPECT_EQ(hal_executable_create(device.get(), &kernels, executable.out()), HAL_STATUS_OK)
        << hal_last_error_message();
  }

  template <class T>
  T* Get() const {
    if constexpr (std::is_same_v<T, hal_registry_t>) return registry.get();
    if constexpr (std::is_same_v<T, hal_driver_t>) return driver.get();
    if constexpr (std::is_same_v<T, hal_device_t>) return device.get();
    if constexpr (std::is_same_v<T, hal_allocator_t>) return hal_device_allocator(device.get());
    if constexpr (std::is_same_v<T, hal_buffer_t>) return buffer.get();
    if constexpr (std::is_same_v<T, hal_buffer_view_t>) return view.get();
    if constexpr (std::is_same_v<T, hal_semaphore_t>) return semaphore.get();
    if constexpr (std::is_same_v<T, hal_fence_t>) return fence.get();
    if constexpr (std::is_same_v<T, hal_event_t>) return event.get();
    if constexpr (std::is_same_v<T, hal_device_group_t>) return group.get();
    if constexpr (std::is_same_v<T, hal_command_buffer_t>) return commands.get();
    if constexpr (std::is_same_v<T, hal_executable_t>) return executable.get();
    if constexpr (std::is_same_v<T, hal_executable_cache_t>) return cache.get();
    if constexpr (std::is_same_v<T, hal_descriptor_set_layout_t>) return set.get();
    if constexpr (std::is_same_v<T, hal_pipeline_layout_t>) return layout.get();
    if constexpr (std::is_same_v<T, hal_file_t>) return file.get();
    if constexpr (std::is_same_v<T, hal_channel_t>) return channel.get();
    if constexpr (std::is_same_v<T, hal_stream_t>) return stream.get();
  }
  /// Something that is no T.
  template <class T>
  T* Wrong() const {
    if constexpr (std::is_same_v<T, hal_fence_t>) return reinterpret_cast<T*>(semaphore.get());
    return reinterpret_cast<T*>(fence.get());
  }

  std::array<char, 64> memory = {};
  Ref<hal_registry_t> registry;
  Ref<hal_driver_t> driver;
  Ref<hal_device_t> device;
  Ref<hal_buffer_t> buffer;
  Ref<hal_buffer_view_t> view;
  Ref<hal_semaphore_t> semaphore;
  Ref<hal_fence_t> fence;
  Ref<hal_event_t> event;
  Ref<hal_device_group_t> group;
  Ref<hal_command_buffer_t> commands;
  Ref<hal_executable_t> executable;
  Ref<hal_executable_cache_t> cache;
  Ref<hal_descriptor_set_layout_t> set;
  Ref<hal_pipeline_layout_t> layout;
  Ref<hal_file_t> file;
  Ref<hal_channel_t> channel;
  Ref<hal_stream_t> stream;
};

template <class T>
inline constexpr bool kIsObject = std::is_pointer_v<T>&& Object<std::remove_const_t<std::remove_pointer_t<T>>>;

/// How one call is made: which of its arguments, counted from 0, is an object of another kind, and what numbers are.
struct Call {
  const Objects* objects = nullptr;
  size_t wrong = SIZE_MAX;
  uint64_t number = UINT64_MAX;
};

/// Memory for what out parameters and structs point to: a struct without its INIT.
alignas(64) std::array<unsigned char, 8192> g_zeros;
void* WrittenZeros() { return g_zeros.data(); }
void* Zeros() {
  g_zeros.fill(0);
  return WrittenZeros();
}

template <class T>
T Argument(const Call& call, size_t index) {
  if constexpr (kIsObject<T>) {
    using Named = std::remove_const_t<std::remove_pointer_t<T>>;
    return index == call.wrong ? call.objects->Wrong<Named>() : call.objects->Get<Named>();
  } else if constexpr (std::is_same_v<T, const hal_function_t*>) {
    return nullptr;  // only an executable has some, and they have no head
  } else if constexpr (std::is_same_v<T, const hal_submit_params_t*>) {
    return nullptr;  // any queue, no points
  } else if constexpr (std::is_same_v<T, hal_string_view_t>) {
    return hal_string_view("local");
  } else if constexpr (std::is_pointer_v<T> && !std::is_function_v<std::remove_pointer_t<T>>) {
    return static_cast<T>(Zeros());
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(call.number);
  } else {
    return T{};
  }
}

template <class R, class... Args, size_t... kIndex>
R Make(R (*function)(Args...), const Call& call, std::index_sequence<kIndex...>) {
  return function(Argument<Args>(call, kIndex)...);
}

/// Releases what a call made and wrote through an argument, which Argument() pointed to Zeros().
template <class T>
void ReleaseMade(void* zeros) {
  if constexpr (std::is_same_v<T, hal_trace_writer_t**>) hal_trace_writer_destroy(*static_cast<T>(zeros));
  if constexpr (std::is_pointer_v<T>) {
    if constexpr (kIsObject<std::remove_pointer_t<T>> && !std::is_const_v<std::remove_pointer_t<T>>) {
      auto* const made = *static_cast<hal_object_t**>(zeros);
      if (made) ReleaseObject(made);
    }
  }
}

template <class R, class... Args>
void WithNull(const char*, R (*function)(Args...)) {
  if constexpr (std::is_same_v<R, hal_status_t> && sizeof...(Args) > 0) {
    (void)function(Args{}...);
  } else if constexpr (std::is_void_v<R>) {
    function(Args{}...);
  }
}

template <class R, class... Args>
void WithWrongKinds(const char* name, R (*function)(Args...)) {
  if constexpr (std::is_same_v<R, hal_status_t>) {
    constexpr std::array<bool, sizeof...(Args) + 1> kObjects = {kIsObject<Args>..., false};
    for (size_t i = 0; i < sizeof...(Args); ++i) {
      if (!kObjects[i]) continue;
      const Objects objects;
      const Call call = {&objects, i, 1};  // a number that is right for masks
      EXPECT_EQ(Make(function, call, std::index_sequence_for<Args...>{}), HAL_STATUS_INVALID_ARGUMENT)
          << name << ", argument " << i;
      EXPECT_THAT(hal_last_error_message(), HasSubstr("; expected a")) << name << ", argument " << i;
      EXPECT_TRUE(std::string_view(hal_last_error_message()).starts_with(std::string(name) + ": ")) << name;
    }
  }
}

template <class R, class... Args>
void AtEdges(const char* name, R (*function)(Args...)) {
  if constexpr (std::is_same_v<R, hal_status_t>) {
    if (IsLeftOutAtEdges(name)) return;
    for (const uint64_t number :
         {UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63, (UINT64_C(1) << 63) - 1, UINT64_C(1) << 32, UINT64_C(0)}) {
      const Objects objects;
      const hal_status_t status = Make(function, {&objects, SIZE_MAX, number}, std::index_sequence_for<Args...>{});
      if (status == HAL_STATUS_OK) (ReleaseMade<Args>(WrittenZeros()), ...);
      EXPECT_STRNE(hal_status_name(status), "UNKNOWN") << name;
      EXPECT_NE(status, HAL_STATUS_INTERNAL) << name << " with " << number << ": " << hal_last_error_message();
    }
  }
}

/// Takes back what calls of hal_push_label() have left with this thread.
class EveryFunctionTest : public ::testing::Test {
 protected:
  void TearDown() override {
    while (hal_pop_label() == HAL_STATUS_OK) {
    }
  }
};

TEST_F(EveryFunctionTest, TakesNull) {
#define HALYARD_EXPORTED(function) WithNull(#function, function);
#include "exported_functions.inc"
#undef HALYARD_EXPORTED
}

TEST_F(EveryFunctionTest, RefusesObjectsOfAnotherKind) {
#define HALYARD_EXPORTED(function) WithWrongKinds(#function, function);
#include "exported_functions.inc"
#undef HALYARD_EXPORTED
}

TEST_F(EveryFunctionTest, TakesNumbersAtTheEdgesOf64Bits) {
#define HALYARD_EXPORTED(function) AtEdges(#function, function);
#include "exported_functions.inc"
#undef HALYARD_EXPORTED
}

}  // namespace
}  // namespace halyard
