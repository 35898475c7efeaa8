// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/device/options.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "fake_driver.h"

namespace halyard {
namespace {

using testing::MessageHas;

/// Pairs from literals, and the options that read them.
struct OptionsOf {
  OptionsOf(std::initializer_list<std::pair<const char*, const char*>> literals) : options(0, nullptr) {
    for (const auto& [key, value] : literals) pairs.push_back({hal_string_view(key), hal_string_view(value)});
    options = Options(pairs.size(), pairs.data());
  }
  std::vector<hal_key_value_t> pairs;
  Options options;
};

TEST(OptionsTest, AbsentParametersKeepTheirDefaults) {
  OptionsOf given({});
  uint64_t number = 7;
  uint64_t bytes = 8;
  bool flag = true;
  size_t index = 9;
  constexpr std::array<std::string_view, 1> kWords = {"word"};
  EXPECT_EQ(given.options.Uint("a", 0, 1, &number), kOk);
  EXPECT_EQ(given.options.Bytes("b", &bytes), kOk);
  EXPECT_EQ(given.options.Bool("c", &flag), kOk);
  EXPECT_EQ(given.options.Word("d", kWords, &index), kOk);
  EXPECT_EQ(given.options.Finish("fake"), kOk);
  EXPECT_EQ(number, 7u);
  EXPECT_EQ(bytes, 8u);
  EXPECT_TRUE(flag);
  EXPECT_EQ(index, 9u);
}

TEST(OptionsTest, LastOfEqualKeysWins) {
  OptionsOf given({{"threads", "1"}, {"other", "x"}, {"threads", "3"}});
  uint64_t threads = 0;
  EXPECT_EQ(given.options.Uint("threads", 1, 8, &threads), kOk);
  EXPECT_EQ(threads, 3u);
}

TEST(OptionsTest, NumbersInRange) {
  OptionsOf given({{"low", "1"}, {"high", "8"}, {"huge", "18446744073709551615"}});
  uint64_t value = 0;
  EXPECT_EQ(given.options.Uint("low", 1, 8, &value), kOk);
  EXPECT_EQ(value, 1u);
  EXPECT_EQ(given.options.Uint("high", 1, 8, &value), kOk);
  EXPECT_EQ(value, 8u);
  EXPECT_EQ(given.options.Uint("huge", 0, UINT64_MAX, &value), kOk);
  EXPECT_EQ(value, UINT64_MAX);
}

TEST(OptionsTest, MalformedNumbersSayWhatIsExpected) {
  for (const char* text : {"", "0", "9", "-1", "+1", " 1", "1 ", "0x1", "1.5", "two", "18446744073709551617"}) {
    OptionsOf given({{"threads", text}});
    uint64_t value = 5;
    EXPECT_EQ(Publish(given.options.Uint("threads", 1, 8, &value)), HAL_STATUS_INVALID_ARGUMENT) << text;
    EXPECT_EQ(value, 5u) << text;
    EXPECT_TRUE(MessageHas("parameter 'threads'"));
    EXPECT_TRUE(MessageHas("a number from 1 to 8"));
  }
}

TEST(OptionsTest, ByteSizes) {
  const std::pair<const char*, uint64_t> cases[] = {{"0", 0},
                                                    {"4096", 4096},
                                                    {"4096B", 4096},
                                                    {"64KiB", uint64_t{64} << 10},
                                                    {"64MiB", uint64_t{64} << 20},
                                                    {"2GiB", uint64_t{2} << 30},
                                                    {"1TiB", uint64_t{1} << 40},
                                                    {"16777215TiB", uint64_t{16777215} << 40}};
  for (const auto& [text, expected] : cases) {
    OptionsOf given({{"memory", text}});
    uint64_t bytes = 1;
    EXPECT_EQ(given.options.Bytes("memory", &bytes), kOk) << text;
    EXPECT_EQ(bytes, expected) << text;
  }
}

TEST(OptionsTest, MalformedByteSizes) {
  for (const char* text : {"", "MiB", "1.5GiB", "1 GiB", "1GB", "1gib", "-1", "16777216TiB", "99999999999999999999"}) {
    OptionsOf given({{"memory", text}});
    uint64_t bytes = 1;
    EXPECT_EQ(Publish(given.options.Bytes("memory", &bytes)), HAL_STATUS_INVALID_ARGUMENT) << text;
    EXPECT_EQ(bytes, 1u) << text;
    EXPECT_TRUE(MessageHas("64MiB"));
  }
}

TEST(OptionsTest, Booleans) {
  for (const char* text : {"true", "on", "yes", "1"}) {
    OptionsOf given({{"flag", text}});
    bool flag = false;
    EXPECT_EQ(given.options.Bool("flag", &flag), kOk) << text;
    EXPECT_TRUE(flag) << text;
  }
  for (const char* text : {"false", "off", "no", "0"}) {
    OptionsOf given({{"flag", text}});
    bool flag = true;
    EXPECT_EQ(given.options.Bool("flag", &flag), kOk) << text;
    EXPECT_FALSE(flag) << text;
  }
  OptionsOf given({{"flag", "maybe"}});
  bool flag = true;
  EXPECT_EQ(Publish(given.options.Bool("flag", &flag)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("expected true or false"));
}

TEST(OptionsTest, Words) {
  constexpr std::array<std::string_view, 2> kModes = {"stream", "graph"};
  OptionsOf given({{"mode", "graph"}, {"other", "grap"}});
  size_t index = 0;
  EXPECT_EQ(given.options.Word("mode", kModes, &index), kOk);
  EXPECT_EQ(index, 1u);
  EXPECT_EQ(Publish(given.options.Word("other", kModes, &index)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("parameter 'other' cannot be 'grap'; did you mean 'graph'? known: stream, graph"));
}

TEST(OptionsTest, UnknownKeyNamesThoseThatAreKnown) {
  OptionsOf given({{"thread", "1"}});
  uint64_t value = 0;
  EXPECT_EQ(given.options.Uint("threads", 1, 8, &value), kOk);
  EXPECT_EQ(given.options.Uint("queues", 1, 8, &value), kOk);
  EXPECT_EQ(Publish(given.options.Finish("local://task")), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("local://task has no parameter 'thread'; did you mean 'threads'? known: threads, queues"));
}

TEST(OptionsTest, NoParametersAtAll) {
  OptionsOf given({{"thread", "1"}});
  EXPECT_EQ(Publish(given.options.Finish("null")), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("null takes no parameters"));
}

}  // namespace
}  // namespace halyard
