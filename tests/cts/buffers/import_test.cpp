// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of the caller as a buffer: what the device sees of it, and when the caller has it back.
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/small_device.h"
#include "halyard/driver_api.h"

namespace halyard::cts {
namespace {

constexpr size_t kAlignment = 4096;
constexpr size_t kImportLength = 2 * kAlignment;

/// Page-aligned memory of the host, all zero.
class HostMemory {
 public:
  HostMemory() { std::memset(bytes_.get(), 0, kImportLength); }

  uint8_t* data() const { return bytes_.get(); }
  std::vector<uint8_t> Copy() const { return {data(), data() + kImportLength}; }
  hal_external_memory_t External() const {
    hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
    memory.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
    memory.handle = reinterpret_cast<uintptr_t>(data());
    memory.length = kImportLength;
    return memory;
  }

 private:
  struct Free {
    void operator()(uint8_t* bytes) const { ::operator delete[](bytes, std::align_val_t(kAlignment)); }
  };
  std::unique_ptr<uint8_t, Free> bytes_{
      static_cast<uint8_t*>(::operator new[](kImportLength, std::align_val_t(kAlignment)))};
};

hal_buffer_params_t Importable() {
  hal_buffer_params_t params = Mappable();
  params.memory_type = HAL_MEMORY_TYPE_HOST_LOCAL | HAL_MEMORY_TYPE_HOST_VISIBLE;
  return params;
}

class ImportTest : public DeviceTest {
 protected:
  hal_status_t Import(const hal_buffer_params_t& params, const hal_external_memory_t& memory,
                      hal_memory_release_fn_t release, void* user_data, Buffer* out) const {
    return hal_allocator_import(device().allocator(), &params, &memory, release, user_data, out->out());
  }
  /// The `user_data` of a release that adds to `released_`.
  void* AddReleaseCounter() {
    return AddCallback([this](hal_status_t, const std::string&) {
      released_.Add();
      return HAL_STATUS_OK;
    });
  }
  /// Imports memory; its release adds to `released_`.
  Buffer ImportCounted() {
    void* const release = AddReleaseCounter();
    Buffer buffer;
    const hal_status_t status = Import(Importable(), memory_.External(), CallRelease, release, &buffer);
    if (status != HAL_STATUS_OK) WithdrawCallback(release);
    Check(status, "hal_allocator_import");
    return buffer;
  }

  HostMemory memory_;
  Counter released_;
};

TEST_F(ImportTest, IsWhatWasGiven) {
  const Buffer buffer = ImportCounted();
  hal_buffer_info_t info = HAL_INIT(hal_buffer_info_t);
  ASSERT_OK(hal_buffer_query_info(buffer, &info));
  EXPECT_EQ(info.length, kImportLength);
  EXPECT_EQ(info.device, device().get());
  EXPECT_EQ(info.usage, Importable().usage);
  EXPECT_EQ(info.memory_type & Importable().memory_type, Importable().memory_type);
}

TEST_F(ImportTest, DeviceWritesTheCallersMemory) {
  const Buffer buffer = ImportCounted();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueFill(kNoWaits, {{done, 1}}, Ref(buffer, 16, 32), uint8_t{0xEE}));
  ASSERT_OK(done.Wait(1));
  ASSERT_OK(hal_buffer_invalidate(buffer, 0, HAL_WHOLE_SIZE));
  std::vector<uint8_t> expected(kImportLength, 0);
  std::fill_n(expected.begin() + 16, 32, uint8_t{0xEE});
  EXPECT_TRUE(SameElements(memory_.Copy(), expected));
}

TEST_F(ImportTest, DeviceReadsTheCallersMemory) {
  const std::vector<uint8_t> bytes = MixedBytes(kImportLength);
  std::memcpy(memory_.data(), bytes.data(), kImportLength);
  const Buffer buffer = ImportCounted();
  const Buffer copy = CreateBuffer(kImportLength);
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(hal_buffer_flush(buffer, 0, HAL_WHOLE_SIZE));
  ASSERT_OK(device().QueueCopy(kNoWaits, {{done, 1}}, buffer, copy));
  ASSERT_OK(done.Wait(1));
  EXPECT_TRUE(SameElements(Download<uint8_t>(copy), bytes));
}

TEST_F(ImportTest, KernelsUseTheCallersMemory) {
  const Buffer buffer = ImportCounted();
  const Executable kernels = LoadKernels("basic");
  const Semaphore done = CreateSemaphore();
  const Dispatch dispatch = Dispatch().Workgroups(kImportLength / 4 / 64).Bind(buffer);
  ASSERT_OK(device().QueueDispatch(kNoWaits, {{done, 1}}, kernels, "add_one", dispatch));
  ASSERT_OK(done.Wait(1));
  EXPECT_TRUE(SameElements(Download<uint32_t>(buffer), std::vector<uint32_t>(kImportLength / 4, 1)));
}

TEST_F(ImportTest, MapsToTheCallersAddress) {
  const Buffer buffer = ImportCounted();
  void* pointer = nullptr;
  ASSERT_OK(hal_buffer_map(buffer, HAL_MAP_ACCESS_READ, 100, 10, &pointer));
  EXPECT_EQ(pointer, memory_.data() + 100);
  EXPECT_OK(hal_buffer_unmap(buffer));
}

TEST_F(ImportTest, ReleasesWithTheLastReference) {
  Buffer first = ImportCounted();
  Buffer second = first;
  first.reset();
  EXPECT_EQ(released_.count(), 0u);
  second.reset();
  EXPECT_TRUE(released_.WaitFor(1));
}

// As TimepointTest.DriverCallsOnce. The core has not seen the buffer, so the driver alone destroys it.
TEST_F(ImportTest, DriverReleasesOnce) {
  hal_allocator_t* const allocator = device().allocator();
  const auto* const table = static_cast<const hal_allocator_vtable_t*>(allocator->object.vtable);
  const hal_buffer_params_t params = Importable();
  const hal_external_memory_t memory = memory_.External();
  void* const user_data = AddReleaseCounter();
  hal_buffer_t* buffer = nullptr;
  const hal_status_t status = table->import(allocator, &params, &memory, CallRelease, user_data, &buffer);
  if (status != HAL_STATUS_OK) WithdrawCallback(user_data);
  ASSERT_OK(status);
  EXPECT_EQ(released_.count(), 0u);
  static_cast<const hal_object_vtable_t*>(buffer->object.vtable)->destroy(&buffer->object);
  EXPECT_TRUE(released_.WaitFor(1));
}

TEST_F(ImportTest, SubspanKeepsTheMemory) {
  Buffer whole = ImportCounted();
  Buffer part;
  ASSERT_OK(hal_buffer_subspan(whole, 64, 64, part.out()));
  whole.reset();
  EXPECT_EQ(released_.count(), 0u);
  part.reset();
  EXPECT_TRUE(released_.WaitFor(1));
}

TEST_F(ImportTest, ViewKeepsTheMemory) {
  Buffer buffer = ImportCounted();
  BufferView view;
  const int64_t size = 4;
  ASSERT_OK(hal_buffer_view_create(buffer, HAL_ELEMENT_TYPE_I32, 1, &size, view.out()));
  buffer.reset();
  EXPECT_EQ(released_.count(), 0u);
  view.reset();
  EXPECT_TRUE(released_.WaitFor(1));
}

// The device is not done with the memory while an operation that uses it is deferred.
TEST_F(ImportTest, SubmittedWorkKeepsTheMemory) {
  Buffer buffer = ImportCounted();
  const Semaphore gate = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueFill({{gate, 1}}, {{done, 1}}, buffer, uint8_t{0x11}));
  buffer.reset();
  EXPECT_EQ(released_.count(), 0u);
  ASSERT_OK(gate.Signal(1));
  ASSERT_OK(done.Wait(1));
  ASSERT_TRUE(released_.WaitFor(1));
  EXPECT_TRUE(SameElements(memory_.Copy(), std::vector<uint8_t>(kImportLength, 0x11)));
}

TEST_F(ImportTest, BindingTableKeepsTheMemory) {
  const CommandBuffer commands =
      device().Record([](const CommandBuffer& c) { Check(c.Fill(Slot(0), uint8_t{0x22}), "fill"); }, 0, 1);
  Buffer buffer = ImportCounted();
  const Semaphore gate = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueExecute({{gate, 1}}, {{done, 1}}, commands, {buffer}));
  buffer.reset();
  EXPECT_EQ(released_.count(), 0u);
  ASSERT_OK(gate.Signal(1));
  ASSERT_OK(done.Wait(1));
  ASSERT_TRUE(released_.WaitFor(1));
  EXPECT_TRUE(SameElements(memory_.Copy(), std::vector<uint8_t>(kImportLength, 0x22)));
}

TEST_F(ImportTest, RecordingKeepsTheMemory) {
  Buffer buffer = ImportCounted();
  CommandBuffer commands =
      device().Record([&](const CommandBuffer& c) { Check(c.Fill(buffer, uint8_t{0x33}), "fill"); });
  buffer.reset();
  EXPECT_EQ(released_.count(), 0u);
  commands.reset();
  EXPECT_TRUE(released_.WaitFor(1));
}

TEST_F(ImportTest, FailedWorkGivesTheMemoryBack) {
  Buffer buffer = ImportCounted();
  const Semaphore gate = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueFill({{gate, 1}}, {{done, 1}}, buffer, uint8_t{0x44}));
  buffer.reset();
  ASSERT_OK(gate.Fail(HAL_STATUS_ABORTED));
  EXPECT_STATUS(HAL_STATUS_ABORTED, done.Wait(1));
  ASSERT_TRUE(released_.WaitFor(1));
  EXPECT_TRUE(SameElements(memory_.Copy(), std::vector<uint8_t>(kImportLength, 0)));
}

TEST_F(ImportTest, ReleaseMayCallTheLibrary) {
  Counter finished;
  void* release = AddCallback([&](hal_status_t, const std::string&) {
    const Semaphore semaphore = device().CreateSemaphore();
    EXPECT_OK(semaphore.Signal(1));
    device().CreateBuffer(64);
    finished.Add();
    return HAL_STATUS_OK;
  });
  Buffer buffer;
  ASSERT_OK(Import(Importable(), memory_.External(), CallRelease, release, &buffer));
  buffer.reset();
  EXPECT_TRUE(finished.WaitFor(1));
}

TEST_F(ImportTest, ReleaseMayBeNull) {
  Buffer buffer;
  ASSERT_OK(Import(Importable(), memory_.External(), nullptr, nullptr, &buffer));
  const uint32_t value = 5;
  EXPECT_OK(hal_buffer_write(buffer, 0, &value, sizeof(value)));
  EXPECT_EQ(memory_.data()[0], 5);
}

TEST_F(ImportTest, OneMemoryManyBuffers) {
  std::vector<Buffer> buffers;
  for (int i = 0; i < 8; ++i) buffers.push_back(ImportCounted());
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueFill(kNoWaits, {{done, 1}}, buffers[0], uint8_t{0x55}));
  ASSERT_OK(done.Wait(1));
  EXPECT_TRUE(SameElements(Download<uint8_t>(buffers[7]), std::vector<uint8_t>(kImportLength, 0x55)));
  buffers.clear();
  EXPECT_TRUE(released_.WaitFor(8));
}

TEST_F(ImportTest, IsNotCounted) {
  const Device own = OpenDevice(options().device);
  Buffer buffer;
  const hal_buffer_params_t params = Importable();
  const hal_external_memory_t memory = memory_.External();
  ASSERT_OK(hal_allocator_import(own.allocator(), &params, &memory, nullptr, nullptr, buffer.out()));
  EXPECT_EQ(StatisticsOf(own).bytes_in_use, 0u);
  buffer.reset();
  EXPECT_EQ(StatisticsOf(own).bytes_freed, 0u);
}

TEST_F(ImportTest, ExportAndImportShareTheMemory) {
  const Buffer original = CreateBuffer(kImportLength, Mappable(HAL_BUFFER_USAGE_DEFAULT | HAL_BUFFER_USAGE_EXPORT));
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  ASSERT_OK(hal_buffer_export(original, HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER, &memory));
  EXPECT_EQ(memory.length, kImportLength);
  Buffer imported;
  ASSERT_OK(Import(Mappable(), memory, nullptr, nullptr, &imported));
  const std::vector<uint8_t> bytes = MixedBytes(kImportLength);
  Upload(imported, bytes);
  EXPECT_TRUE(SameElements(Download<uint8_t>(original), bytes));
}

// --- Memory that may only be read ---

class ReadOnlyImportTest : public ImportTest {
 protected:
  ReadOnlyImportTest() {
    hal_buffer_params_t params = Importable();
    params.usage = HAL_BUFFER_USAGE_TRANSFER_SOURCE | HAL_BUFFER_USAGE_STORAGE | HAL_BUFFER_USAGE_MAPPING |
                   HAL_BUFFER_USAGE_EXPORT;
    hal_external_memory_t memory = memory_.External();
    memory.flags = HAL_EXTERNAL_MEMORY_READ_ONLY;
    Check(Import(params, memory, nullptr, nullptr, &buffer_), "hal_allocator_import");
  }
  /// add_constant: what it reads, and what it writes.
  Dispatch Adding(const cts::Ref& source, const cts::Ref& target) const {
    return Dispatch().Constant(uint32_t{7}).Bind(source).Bind(target);
  }

  Buffer buffer_;
};

TEST_F(ReadOnlyImportTest, TheHostMapsItForReading) {
  void* pointer = nullptr;
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, hal_buffer_map(buffer_, HAL_MAP_ACCESS_WRITE, 0, 4, &pointer));
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED,
                hal_buffer_map(buffer_, HAL_MAP_ACCESS_READ | HAL_MAP_ACCESS_WRITE, 0, 4, &pointer));
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, hal_buffer_write(buffer_, 0, "abc", 4));
  ASSERT_OK(hal_buffer_map(buffer_, HAL_MAP_ACCESS_READ, 0, 4, &pointer));
  EXPECT_OK(hal_buffer_unmap(buffer_));
  EXPECT_TRUE(SameElements(Download<uint8_t>(buffer_), std::vector<uint8_t>(kImportLength, 0)));
}

TEST_F(ReadOnlyImportTest, SaysSoWhenAskedAndWhenExported) {
  Buffer part;
  ASSERT_OK(hal_buffer_subspan(buffer_, 64, 64, part.out()));
  for (hal_buffer_t* buffer : {buffer_.get(), part.get()}) {
    hal_buffer_info_t info = HAL_INIT(hal_buffer_info_t);
    ASSERT_OK(hal_buffer_query_info(buffer, &info));
    EXPECT_NE(info.usage & HAL_BUFFER_USAGE_READ_ONLY, 0u);
    hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
    ASSERT_OK(hal_buffer_export(buffer, HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER, &memory));
    EXPECT_EQ(memory.flags, HAL_EXTERNAL_MEMORY_READ_ONLY);
  }
}

TEST_F(ReadOnlyImportTest, KernelsBindItWhereTheyOnlyRead) {
  const Executable kernels = LoadKernels("basic");
  const Buffer target = CreateBuffer(256);
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(
      device().QueueDispatch(kNoWaits, {{done, 1}}, kernels, "add_constant", Adding(Ref(buffer_, 0, 256), target)));
  ASSERT_OK(done.Wait(1));
  EXPECT_TRUE(SameElements(Download<uint32_t>(target), std::vector<uint32_t>(64, 7)));
  for (const auto& [name, dispatch] : {std::pair("add_constant", Adding(target, Ref(buffer_, 0, 256))),
                                       std::pair("add_one", Dispatch().Bind(buffer_))}) {
    EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, device().QueueDispatch(kNoWaits, {{done, 2}}, kernels, name, dispatch));
  }
}

TEST_F(ReadOnlyImportTest, SlotsTakeItWhereKernelsOnlyRead) {
  const Executable kernels = LoadKernels("basic");
  const Buffer target = CreateBuffer(256);
  const Semaphore done = CreateSemaphore();
  const CommandBuffer commands = device().Record(
      [&](const CommandBuffer& c) { Check(c.Dispatch(kernels, "add_constant", Adding(Slot(0), Slot(1))), "dispatch"); },
      0, 2);
  ASSERT_OK(device().QueueExecute(kNoWaits, {{done, 1}}, commands, {Ref(buffer_, 0, 256), target}));
  ASSERT_OK(done.Wait(1));
  EXPECT_TRUE(SameElements(Download<uint32_t>(target), std::vector<uint32_t>(64, 7)));
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED,
                device().QueueExecute(kNoWaits, {{done, 2}}, commands, {target, Ref(buffer_, 0, 256)}));
}

// --- Memory of 0 bytes ---

TEST_F(ImportTest, NothingIsImportedFromAnyAddress) {
  for (const uint64_t handle : {uint64_t{0}, uint64_t{1}, uint64_t{reinterpret_cast<uintptr_t>(memory_.data())}}) {
    hal_external_memory_t memory = memory_.External();
    memory.handle = handle;
    memory.length = 0;
    hal_buffer_params_t params = Importable();
    params.usage |= HAL_BUFFER_USAGE_EXPORT;
    void* const release = AddReleaseCounter();
    const uint64_t before = released_.count();
    Buffer buffer;
    ASSERT_OK(Import(params, memory, CallRelease, release, &buffer)) << handle;
    void* pointer = nullptr;
    ASSERT_OK(hal_buffer_map(buffer, HAL_MAP_ACCESS_READ, 0, 0, &pointer));
    EXPECT_OK(hal_buffer_unmap(buffer));
    EXPECT_OK(hal_buffer_write(buffer, 0, nullptr, 0));
    hal_external_memory_t exported = HAL_INIT(hal_external_memory_t);
    EXPECT_OK(hal_buffer_export(buffer, HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER, &exported));
    EXPECT_EQ(exported.length, 0u);
    EXPECT_EQ(released_.count(), before);
    buffer.reset();
    EXPECT_TRUE(released_.WaitFor(before + 1));
  }
}

// --- What is refused ---

struct BadImport {
  const char* name;
  hal_status_t status;
  void (*make_invalid)(hal_buffer_params_t*, hal_external_memory_t*);
};
void PrintTo(const BadImport& bad, std::ostream* out) { *out << bad.name; }

class BadImportTest : public DeviceTestWith<BadImport> {};

TEST_P(BadImportTest, IsRefusedAndTheCallerKeepsTheMemory) {
  const HostMemory host;
  hal_buffer_params_t params = Importable();
  hal_external_memory_t memory = host.External();
  GetParam().make_invalid(&params, &memory);
  void* release = AddCallback([](hal_status_t, const std::string&) { return HAL_STATUS_OK; });
  Buffer buffer;
  EXPECT_STATUS(GetParam().status,
                hal_allocator_import(device().allocator(), &params, &memory, CallRelease, release, buffer.out()));
  EXPECT_EQ(buffer.get(), nullptr);
  WithdrawCallback(release);  // a failure of the test if it was called
}

INSTANTIATE_TEST_SUITE_P(
    Imports, BadImportTest,
    testing::Values(
        BadImport{"NoUsage", HAL_STATUS_INVALID_ARGUMENT, [](auto* p, auto*) { p->usage = HAL_BUFFER_USAGE_NONE; }},
        BadImport{"UnknownUsage", HAL_STATUS_INVALID_ARGUMENT, [](auto* p, auto*) { p->usage |= UINT64_C(1) << 40; }},
        BadImport{"BadAlignment", HAL_STATUS_INVALID_ARGUMENT, [](auto* p, auto*) { p->alignment = 12; }},
        BadImport{"NoType", HAL_STATUS_INVALID_ARGUMENT,
                  [](auto*, auto* m) { m->type = HAL_EXTERNAL_MEMORY_TYPE_NONE; }},
        BadImport{"UnknownType", HAL_STATUS_UNIMPLEMENTED,
                  [](auto*, auto* m) { m->type = static_cast<hal_external_memory_type_t>(0x1FFFF); }},
        BadImport{"Flags", HAL_STATUS_INVALID_ARGUMENT, [](auto*, auto* m) { m->flags = 2; }},
        BadImport{"ReadOnlyTarget", HAL_STATUS_PERMISSION_DENIED,
                  [](auto*, auto* m) { m->flags = HAL_EXTERNAL_MEMORY_READ_ONLY; }},
        BadImport{"NullPointer", HAL_STATUS_INVALID_ARGUMENT, [](auto*, auto* m) { m->handle = 0; }},
        BadImport{"EndPastAddressSpace", HAL_STATUS_INVALID_ARGUMENT, [](auto*, auto* m) { m->length = UINT64_MAX; }},
        BadImport{"Misaligned", HAL_STATUS_INCOMPATIBLE,
                  [](auto* p, auto* m) {
                    p->alignment = 64;
                    m->handle += 4;
                    m->length -= 4;
                  }}),
    ByName);

}  // namespace
}  // namespace halyard::cts
