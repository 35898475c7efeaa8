// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MessagePack, as far as code objects of AMD use it: all of it but extensions.
#ifndef HALYARD_IMAGE_REFLECTION_MSGPACK_READER_H_
#define HALYARD_IMAGE_REFLECTION_MSGPACK_READER_H_

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "image/shared_object/bytes.h"

namespace halyard {

enum class MsgpackKind { kNil, kBool, kUint, kInt, kFloat, kText, kBytes, kArray, kMap };

/// One value; of an array or a map the head, which its elements follow.
struct MsgpackValue {
  MsgpackKind kind = MsgpackKind::kNil;
  uint64_t number = 0;    ///< kBool, kUint; kInt: the bits of a negative number; kFloat: the bits as written
  std::string_view text;  ///< kText, kBytes
  uint32_t count = 0;     ///< kArray: elements. kMap: pairs of key and value
};

/// Reads values one after the other. Nothing is copied and nothing recursed, so that depth and counts cost no memory. A
/// count of more elements than bytes are left is a failure at once. All failures are DATA_LOSS.
class MsgpackReader {
 public:
  explicit MsgpackReader(Bytes bytes) : bytes_(bytes) {}

  size_t Offset() const { return at_; }
  Status Next(MsgpackValue* out_value);
  /// Goes past a value with all that it holds.
  Status Skip();

  /// A value of one kind; `what` names it in messages.
  Status ReadCount(MsgpackKind kind, const char* what, uint32_t* out_count);
  Status ReadText(const char* what, std::string_view* out_text);
  Status ReadNumber(const char* what, uint64_t most, uint64_t* out_number);
  Status ReadFlag(const char* what, bool* out_flag);

 private:
  Status Expect(MsgpackKind kind, const char* what, MsgpackValue* out_value);
  Status ReadLength(size_t size, uint64_t* out_length);
  Status TakeNumber(MsgpackKind kind, size_t size, MsgpackValue* out_value);
  Status TakeText(MsgpackKind kind, uint64_t length, MsgpackValue* out_value);
  Status TakeCount(MsgpackKind kind, uint64_t count, MsgpackValue* out_value);
  Status TakeSized(uint8_t tag, MsgpackValue* out_value);

  Bytes bytes_;
  size_t at_ = 0;
};

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_MSGPACK_READER_H_
