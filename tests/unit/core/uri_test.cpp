// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/registry/uri.h"

#include <gtest/gtest.h>

#include <string>

#include "fake_driver.h"

namespace halyard {
namespace {

using testing::MessageHas;

Uri Parsed(std::string_view text) {
  Uri uri;
  EXPECT_EQ(ParseUri(text, &uri), kOk) << text << ": " << LastErrorMessage();
  return uri;
}

Status Refused(std::string_view text) {
  Uri uri;
  return ParseUri(text, &uri);
}

TEST(UriTest, DriverAlone) {
  for (const char* text : {"local", "local://", "local?", "local://?"}) {
    const Uri uri = Parsed(text);
    EXPECT_EQ(uri.driver, "local") << text;
    EXPECT_EQ(uri.id, "") << text;
    EXPECT_TRUE(uri.parameters.empty()) << text;
  }
}

TEST(UriTest, Id) {
  EXPECT_EQ(Parsed("cuda://0").id, "0");
  EXPECT_EQ(Parsed("cuda://GPU-9d2c:0/1").id, "GPU-9d2c:0/1");
}

TEST(UriTest, Parameters) {
  for (const char* text : {"local://task?threads=4&memory=64MiB", "local://task?threads=4&memory=64MiB&"}) {
    const Uri uri = Parsed(text);
    EXPECT_EQ(uri.id, "task");
    ASSERT_EQ(uri.parameters.size(), 2u);
    EXPECT_EQ(uri.parameters[0].key, "threads");
    EXPECT_EQ(uri.parameters[0].value, "4");
    EXPECT_EQ(uri.parameters[1].key, "memory");
    EXPECT_EQ(uri.parameters[1].value, "64MiB");
  }
}

TEST(UriTest, ParametersWithoutId) {
  EXPECT_EQ(Parsed("local://?a=b").parameters.size(), 1u);
  EXPECT_EQ(Parsed("local?a=b").parameters.size(), 1u);
}

TEST(UriTest, ValueMayBeEmptyOrHoldMarks) {
  EXPECT_EQ(Parsed("x?a=").parameters[0].value, "");
  EXPECT_EQ(Parsed("x?a=b=c?d:e").parameters[0].value, "b=c?d:e");
}

TEST(UriTest, PercentDecoding) {
  const Uri uri = Parsed("x://a%20b%3f?k%26=%25%3D%c3%a9");
  EXPECT_EQ(uri.id, "a b?");
  EXPECT_EQ(uri.parameters[0].key, "k&");
  EXPECT_EQ(uri.parameters[0].value, "%=\xc3\xa9");
}

TEST(UriTest, MalformedPercentIsRefused) {
  for (const char* text : {"x://%", "x://%4", "x://%4g", "x://%00", "x?a=%zz", "x?%=b"}) {
    EXPECT_EQ(Publish(Refused(text)), HAL_STATUS_INVALID_ARGUMENT) << text;
    EXPECT_TRUE(MessageHas("two hexadecimal digits")) << text;
    EXPECT_TRUE(MessageHas(text));
  }
}

TEST(UriTest, MalformedDriverIsRefused) {
  for (const char* text : {"://0", "?a=b", "Local", "lo cal", "local/0", "l\xc3\xb6"}) {
    EXPECT_EQ(Publish(Refused(text)), HAL_STATUS_INVALID_ARGUMENT) << text;
    EXPECT_TRUE(MessageHas("is no driver name")) << text;
  }
}

TEST(UriTest, EmptyIsRefused) {
  EXPECT_EQ(Publish(Refused("")), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("the device URI is empty"));
}

TEST(UriTest, HalfASeparatorIsRefused) {
  for (const char* text : {"local:", "local:/", "local:0", "local:/0"}) {
    EXPECT_EQ(Publish(Refused(text)), HAL_STATUS_INVALID_ARGUMENT) << text;
    EXPECT_TRUE(MessageHas("expected '://'")) << text;
  }
}

TEST(UriTest, MalformedParameterIsRefused) {
  for (const char* text : {"x?a", "x?=b", "x?a=b&&c=d", "x?&a=b"}) {
    EXPECT_EQ(Publish(Refused(text)), HAL_STATUS_INVALID_ARGUMENT) << text;
    EXPECT_TRUE(MessageHas("expected key=value")) << text;
  }
}

TEST(UriTest, ParameterThatIsGivenTwiceIsRefused) {
  EXPECT_EQ(Publish(Refused("x?a=1&b=2&%61=1")), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("parameter 'a' is given twice"));
}

TEST(DriverNameTest, LowerCaseDigitsAndDashes) {
  EXPECT_TRUE(IsDriverName("my-driver_2"));
  EXPECT_FALSE(IsDriverName(""));
  EXPECT_FALSE(IsDriverName("My"));
  EXPECT_FALSE(IsDriverName("a.b"));
  EXPECT_FALSE(IsDriverName(std::string_view("a\0b", 3)));
}

}  // namespace
}  // namespace halyard
