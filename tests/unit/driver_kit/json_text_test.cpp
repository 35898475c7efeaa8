// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/trace/json_text.h"

#include <gtest/gtest.h>

#include <string>

namespace halyard {
namespace {

std::string Quoted(std::string_view text) {
  HostString out;
  AppendJsonString(text, &out);
  return std::string(out);
}

std::string Microseconds(uint64_t nanoseconds) {
  HostString out;
  AppendJsonMicroseconds(nanoseconds, &out);
  return std::string(out);
}

TEST(JsonTextTest, EscapesWhatJsonReserves) {
  EXPECT_EQ(Quoted("plain"), R"("plain")");
  EXPECT_EQ(Quoted(""), R"("")");
  EXPECT_EQ(Quoted("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(Quoted("line\nbreak\t\x01"), R"("line\u000abreak\u0009\u0001")");
  EXPECT_EQ(Quoted(std::string_view("a\0b", 3)), R"("a\u0000b")");
}

TEST(JsonTextTest, KeepsUtf8) {
  EXPECT_EQ(Quoted("\xC3\xA9"), "\"\xC3\xA9\"");
  EXPECT_EQ(Quoted("\xE2\x82\xAC"), "\"\xE2\x82\xAC\"");
  EXPECT_EQ(Quoted("\xF0\x9F\x98\x80"), "\"\xF0\x9F\x98\x80\"");
  EXPECT_EQ(Quoted("\xF4\x8F\xBF\xBF"), "\"\xF4\x8F\xBF\xBF\"");
}

TEST(JsonTextTest, ReplacesWhatIsNotUtf8) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(Quoted("a\xFF-"), "\"a" + bad + "-\"");
  EXPECT_EQ(Quoted("\x80"), "\"" + bad + "\"");
  EXPECT_EQ(Quoted("\xC3"), "\"" + bad + "\"");                                // cut short
  EXPECT_EQ(Quoted("\xE2\x82"), "\"" + bad + bad + "\"");                      // cut short
  EXPECT_EQ(Quoted("\xC0\xAF"), "\"" + bad + bad + "\"");                      // overlong
  EXPECT_EQ(Quoted("\xE0\x80\xAF"), "\"" + bad + bad + bad + "\"");            // overlong
  EXPECT_EQ(Quoted("\xED\xA0\x80"), "\"" + bad + bad + bad + "\"");            // a surrogate
  EXPECT_EQ(Quoted("\xF4\x90\x80\x80"), "\"" + bad + bad + bad + bad + "\"");  // past U+10FFFF
}

TEST(JsonTextTest, MicrosecondsHaveThreeDecimals) {
  EXPECT_EQ(Microseconds(0), "0.000");
  EXPECT_EQ(Microseconds(1), "0.001");
  EXPECT_EQ(Microseconds(1234567), "1234.567");
  EXPECT_EQ(Microseconds(UINT64_MAX), "18446744073709551.615");
}

}  // namespace
}  // namespace halyard
