// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/status.h"

#include <gmock/gmock.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "base/host_memory.h"
#include "base/message_memory.h"
#include "base/status.h"
#include "driver_kit/executable/pipeline_layout.h"
#include "halyard/driver_api.h"
#include "halyard/fence.h"

namespace halyard {
namespace {

/// Long messages take host memory, which the library uses for them only once it has used some.
void UseHostMemory() { static_cast<void>(HostVector<char>(1)); }

TEST(StatusTest, EveryStatusHasAName) {
  for (int status = HAL_STATUS_OK; status <= HAL_STATUS_INTERNAL; ++status) {
    EXPECT_STRNE(hal_status_name(static_cast<hal_status_t>(status)), "UNKNOWN") << status;
  }
  EXPECT_STREQ(hal_status_name(HAL_STATUS_OUT_OF_RANGE), "OUT_OF_RANGE");
  EXPECT_STREQ(hal_status_name(static_cast<hal_status_t>(HAL_STATUS_INTERNAL + 1)), "UNKNOWN");
}

TEST(StatusTest, EachThreadHasItsMessage) {
  hal_set_error_message(hal_string_view("mine"));
  std::thread([] {
    EXPECT_STREQ(hal_last_error_message(), "");
    hal_set_error_message(hal_string_view("theirs"));
  }).join();
  EXPECT_STREQ(hal_last_error_message(), "mine");
}

TEST(StatusTest, MessageMayBeMadeOfTheOldOne) {
  hal_set_error_message(hal_string_view("words that are longer than a short string"));
  hal_set_error_message(hal_string_view(hal_last_error_message() + 6));
  EXPECT_STREQ(hal_last_error_message(), "that are longer than a short string");
  EXPECT_EQ(Publish(Fail(HAL_STATUS_ABORTED, "again: %s", hal_last_error_message())), HAL_STATUS_ABORTED);
  EXPECT_STREQ(hal_last_error_message(), "again: that are longer than a short string");
}

TEST(StatusTest, LongMessagesAreWhole) {
  UseHostMemory();
  const std::string text(5000, 'x');
  EXPECT_EQ(Publish(Fail(HAL_STATUS_ABORTED, "%s!", text.c_str())), HAL_STATUS_ABORTED);
  EXPECT_EQ(hal_last_error_message(), text + "!");
}

TEST(StatusTest, LongMessagesCanBeMadeOfLongOnes) {
  UseHostMemory();
  const std::string text(5000, 'x');
  hal_set_error_message(hal_string_view(text.c_str()));
  hal_set_error_message(hal_string_view(hal_last_error_message() + 1000));
  EXPECT_EQ(hal_last_error_message(), text.substr(1000));
  EXPECT_EQ(Publish(Annotate(FailWith(HAL_STATUS_ABORTED, hal_last_error_message()), "again: ")), HAL_STATUS_ABORTED);
  EXPECT_EQ(hal_last_error_message(), "again: " + text.substr(1000));
  hal_set_error_message(hal_string_view(hal_last_error_message() + 4000));
  EXPECT_EQ(hal_last_error_message(), std::string(7, 'x'));
}

TEST(StatusTest, EmptyViews) {
  hal_set_error_message({nullptr, 5});
  EXPECT_STREQ(hal_last_error_message(), "");
}

TEST(StatusTest, AFailureHasItsOwnMessage) {
  hal_set_error_message(hal_string_view("before"));
  const Failure first(FailWith(HAL_STATUS_ABORTED, "first"));
  const Failure second(Fail(HAL_STATUS_NOT_FOUND, "%s", "second"));
  EXPECT_EQ(first.code(), HAL_STATUS_ABORTED);
  EXPECT_EQ(first.message(), "first");
  EXPECT_EQ(second.code(), HAL_STATUS_NOT_FOUND);
  EXPECT_EQ(second.message(), "second");
  EXPECT_STREQ(hal_last_error_message(), "before") << "no public function has returned";
  EXPECT_EQ(Publish(first.Share()), HAL_STATUS_ABORTED);
  EXPECT_STREQ(hal_last_error_message(), "first");
}

TEST(StatusTest, OkHasNoMessageAndChangesNone) {
  hal_set_error_message(hal_string_view("before"));
  EXPECT_EQ(kOk.code(), HAL_STATUS_OK);
  EXPECT_EQ(kOk.message(), "");
  EXPECT_EQ(Publish(kOk), HAL_STATUS_OK);
  EXPECT_EQ(Publish(FromC(ToC(kOk))), HAL_STATUS_OK);
  EXPECT_EQ(Annotate(kOk, "again: "), kOk);
  EXPECT_FALSE(Failure());
  EXPECT_STREQ(hal_last_error_message(), "before");
}

TEST(StatusTest, AFailureCrossesACFunctionWithItsMessage) {
  hal_set_error_message(hal_string_view("before"));
  const hal_status_t code = ToC(FailWith(HAL_STATUS_DATA_LOSS, "torn"));
  EXPECT_EQ(code, HAL_STATUS_DATA_LOSS);
  EXPECT_STREQ(hal_last_error_message(), "before");
  const Failure failure(FromC(code));
  EXPECT_EQ(failure.code(), HAL_STATUS_DATA_LOSS);
  EXPECT_EQ(failure.message(), "torn");
  const Failure silent(FromC(HAL_STATUS_ABORTED));
  EXPECT_EQ(silent.message(), "before") << "as if a public function had failed in between";
}

TEST(StatusTest, ANumberThatIsNoStatusBecomesInternal) {
  const Failure failure(FromC(static_cast<hal_status_t>(99)));
  EXPECT_EQ(failure.code(), HAL_STATUS_INTERNAL);
  EXPECT_THAT(std::string(failure.message()), ::testing::HasSubstr("99"));
}

TEST(StatusTest, ThreadsShareAFailure) {
  const Failure failure(FailWith(HAL_STATUS_ABORTED, "theirs and mine"));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&failure] {
      for (int round = 0; round < 1000; ++round) Publish(Failure(failure).Take());
      EXPECT_STREQ(hal_last_error_message(), "theirs and mine");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failure.message(), "theirs and mine");
}

TEST(StatusTest, PrefixesOfAnyNumberAndLength) {
  UseHostMemory();
  const std::string text(5000, 'x');
  const Failure failure(Annotate(FailWith(HAL_STATUS_ABORTED, text), "a ", std::string("b"), ": "));
  EXPECT_EQ(failure.code(), HAL_STATUS_ABORTED);
  EXPECT_EQ(failure.message(), "a b: " + text);
}

TEST(LastMessageScopeTest, PutsTheMessageBack) {
  UseHostMemory();
  const std::string text(5000, 'x');
  for (const std::string& before : {text, std::string("short"), std::string()}) {
    for (const std::string& during : {text + "y", std::string("other"), std::string()}) {
      hal_set_error_message({before.data(), before.size()});
      {
        const LastMessageScope scope(kOk);
        EXPECT_STREQ(hal_last_error_message(), "");
        hal_set_error_message({during.data(), during.size()});
      }
      EXPECT_EQ(hal_last_error_message(), before);
      {
        const LastMessageScope scope(FailWith(HAL_STATUS_ABORTED, during));
        EXPECT_EQ(hal_last_error_message(), during);
      }
      EXPECT_EQ(hal_last_error_message(), before);
    }
  }
}

TEST(TruncationTest, CutsBetweenCharacters) {
  std::array<char, 16> out = {};
  const auto cut = [&](std::string_view text, size_t room) {
    return std::string(out.data(), CopyTruncated(text, out.data(), room));
  };
  EXPECT_EQ(cut("as it is", 8), "as it is");
  EXPECT_EQ(cut("one too many", 11), "one too …");
  EXPECT_EQ(cut("größer", 7), "grö…");
  EXPECT_EQ(cut("größer", 6), "gr…");
  EXPECT_EQ(cut("full", 3), "…");
}

TEST(HostAllocatorTest, IncompleteOrLateAllocatorsAreRefused) {
  hal_host_allocator_t allocator = HAL_INIT(hal_host_allocator_t);
  EXPECT_EQ(hal_set_host_allocator(&allocator), HAL_STATUS_INVALID_ARGUMENT);
  allocator.struct_size = 0;
  EXPECT_EQ(hal_set_host_allocator(&allocator), HAL_STATUS_INVALID_ARGUMENT);
  hal_fence_t* fence = nullptr;
  ASSERT_EQ(hal_fence_create(1, &fence), HAL_STATUS_OK);
  EXPECT_EQ(hal_set_host_allocator(nullptr), HAL_STATUS_FAILED_PRECONDITION) << "the fence took memory";
  hal_fence_release(fence);
}

TEST(HostServicesTest, Memory) {
  const hal_host_services_t* const host = hal_host_services();
  EXPECT_EQ(host->struct_size, sizeof(hal_host_services_t));
  EXPECT_EQ(host->version, hal_version());
  void* const memory = host->allocate(100, 256);
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 256, 0u);
  host->free(memory, 100, 256);
  host->free(nullptr, 0, 1);
}

TEST(HostServicesTest, Errors) {
  const hal_host_services_t* const host = hal_host_services();
  EXPECT_EQ(host->set_error(HAL_STATUS_ABORTED, hal_string_view("why")), HAL_STATUS_ABORTED);
  EXPECT_STREQ(host->last_error(), "why");
}

TEST(HostServicesTest, PipelineLayouts) {
  const hal_host_services_t* const host = hal_host_services();
  std::array<hal_parameter_t, 3> parameters = {};
  parameters[0].kind = HAL_PARAMETER_KIND_BINDING;
  parameters[0].set = 2;
  parameters[0].binding = 7;
  parameters[1] = hal_parameter_constant(0, 8);
  parameters[2].kind = HAL_PARAMETER_KIND_BINDING;
  hal_pipeline_layout_t* layout = nullptr;
  ASSERT_EQ(host->create_pipeline_layout(parameters.size(), parameters.data(), 8, &layout), HAL_STATUS_OK);
  EXPECT_EQ(PipelineLayout::From(layout).SetCount(), 3u);
  EXPECT_EQ(PipelineLayout::From(layout).BindingCount(), 2u);
  EXPECT_EQ(PipelineLayout::From(layout).ConstantsSize(), 8u);
  host->release(reinterpret_cast<hal_object_t*>(layout));

  parameters[0].set = UINT32_MAX;
  EXPECT_EQ(host->create_pipeline_layout(parameters.size(), parameters.data(), 8, &layout),
            HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(host->last_error(), ::testing::HasSubstr("parameters[0].set is 4294967295"));
}

TEST(LogTest, CallbackGetsMessagesOfItsLevel) {
  static std::string log;
  log.clear();
  const auto append = [](void*, hal_log_level_t, hal_string_view_t message) {
    log.append(message.data, message.size).append(";");
  };
  hal_set_log_callback(append, nullptr, HAL_LOG_LEVEL_WARNING);
  const hal_host_services_t* const host = hal_host_services();
  host->log(HAL_LOG_LEVEL_INFO, hal_string_view("quiet"));
  host->log(HAL_LOG_LEVEL_WARNING, hal_string_view("heard"));
  hal_set_log_callback(nullptr, nullptr, HAL_LOG_LEVEL_DEBUG);
  host->log(HAL_LOG_LEVEL_ERROR, hal_string_view("silenced"));
  EXPECT_EQ(log, "heard;");
}

}  // namespace
}  // namespace halyard
