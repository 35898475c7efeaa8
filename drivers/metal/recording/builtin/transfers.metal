// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fills and copies of any offset and length. Each thread makes four words of the target. Words that lie inside the
// range are written whole; of the first and the last word only the bytes in the range are, so that others may write
// their neighbours at the same time.
#include <metal_stdlib>
using namespace metal;

constant uint kWordsPerThread = 4;

struct FillParams {
  uint skip;     // bytes of the first word that are not the target's
  uint length;   // bytes
  uint pattern;  // turned, so that it begins at a word
};

struct CopyParams {
  uint target_skip;  // bytes of the first word that are not the target's
  uint source_skip;  // the same of the source
  uint length;       // bytes
};

struct CopyRowsParams {
  ulong target_begin;  // bytes of the first word that are not the target's
  ulong target_row;    // bytes from a row to the next one
  ulong target_slice;  // bytes from a slice to the next one
  ulong source_begin;  // the same of the source
  ulong source_row;
  ulong source_slice;
  uint width;   // bytes of a row
  uint height;  // rows of a slice
  uint items_per_row;
  uint items;
};

// Writes the bytes of a word that lie in [begin, end), counted from the first word.
static void write_word(device uint* target, uint word, uint begin, uint end, uint value) {
  const uint first = word * 4;
  if (first >= begin && first + 4 <= end) {
    target[word] = value;
    return;
  }
  device uchar* const bytes = reinterpret_cast<device uchar*>(target);
  for (uint i = 0; i < 4; ++i) {
    if (first + i >= begin && first + i < end) bytes[first + i] = static_cast<uchar>(value >> (8 * i));
  }
}

// Four bytes that begin at any byte. No word is read that has none of the range's bytes.
static uint read_bytes(const device uint* source, int at, int begin, int end) {
  uint value = 0;
  if ((at & 3) == 0 && at >= begin && at + 4 <= end) return source[at >> 2];
  const device uchar* const bytes = reinterpret_cast<const device uchar*>(source);
  if (at < begin || at + 4 > end) {
    for (int i = 0; i < 4; ++i) {
      if (at + i >= begin && at + i < end) value |= static_cast<uint>(bytes[at + i]) << (8 * i);
    }
    return value;
  }
  const uint shift = static_cast<uint>(at & 3) * 8;
  return source[at >> 2] >> shift | source[(at >> 2) + 1] << (32 - shift);
}

kernel void halyard_fill(device uint* target [[buffer(0)]], constant FillParams& params [[buffer(1)]],
                         uint id [[thread_position_in_grid]]) {
  const uint end = params.skip + params.length;
  for (uint i = 0; i < kWordsPerThread; ++i) {
    const uint word = id * kWordsPerThread + i;
    if (word * 4 >= end) return;
    write_word(target, word, params.skip, end, params.pattern);
  }
}

kernel void halyard_copy(device uint* target [[buffer(0)]], const device uint* source [[buffer(1)]],
                         constant CopyParams& params [[buffer(2)]], uint id [[thread_position_in_grid]]) {
  const uint end = params.target_skip + params.length;
  const int source_begin = static_cast<int>(params.source_skip);
  const int source_end = source_begin + static_cast<int>(params.length);
  for (uint i = 0; i < kWordsPerThread; ++i) {
    const uint word = id * kWordsPerThread + i;
    if (word * 4 >= end) return;
    const int at = static_cast<int>(word * 4) - static_cast<int>(params.target_skip) + source_begin;
    write_word(target, word, params.target_skip, end, read_bytes(source, at, source_begin, source_end));
  }
}

// Several threads make a row, each kWordsPerThread words of it. The words are counted from the one in which the row
// begins.
kernel void halyard_copy_rows(device uint* target [[buffer(0)]], const device uint* source [[buffer(1)]],
                              constant CopyRowsParams& params [[buffer(2)]], uint id [[thread_position_in_grid]]) {
  if (id >= params.items) return;
  const uint row = id / params.items_per_row;
  const uint item = id % params.items_per_row;
  const ulong y = row % params.height;
  const ulong z = row / params.height;
  const ulong to = params.target_begin + z * params.target_slice + y * params.target_row;
  const ulong from = params.source_begin + z * params.source_slice + y * params.source_row;
  device uint* const words = target + to / 4;
  const device uint* const read = source + from / 4;
  const uint begin = static_cast<uint>(to % 4);
  const uint end = begin + params.width;
  const int source_begin = static_cast<int>(from % 4);
  const int source_end = source_begin + static_cast<int>(params.width);
  for (uint i = 0; i < kWordsPerThread; ++i) {
    const uint word = item * kWordsPerThread + i;
    if (word * 4 >= end) return;
    const int at = static_cast<int>(word * 4) - static_cast<int>(begin) + source_begin;
    write_word(words, word, begin, end, read_bytes(read, at, source_begin, source_end));
  }
}
