// SPDX-License-Identifier: Apache-2.0
// Arguments from a fuzzer's input, in memory of their own that is as small as it can be, so that a step outside is caught.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include <eagle/declaration.hpp>
#include <eagle/value.hpp>

#include "fuzz.hpp"

namespace fuzz {

/// Calls f for each byte of each element, in row-major order.
template <class F>
void each_byte(const eagle::ArrayView& array, F&& f, std::size_t axis = 0, std::int64_t offset = 0) {
  if (axis < array.shape.size()) {
    for (std::int64_t i = 0; i < array.shape[axis]; ++i) each_byte(array, f, axis + 1, offset + i * array.strides[axis]);
    return;
  }
  auto* element = static_cast<unsigned char*>(array.data) + offset * size_of(array.dtype);
  for (std::int64_t k = 0; array.data != nullptr && k < size_of(array.dtype); ++k) f(element + k);
}

inline eagle::Number number_of(Bytes& in) {
  const std::int64_t kind = in.up_to(3);
  if (kind == 0) return in.count();
  if (kind == 1) return in.take<std::uint64_t>();
  return kind == 2 ? in.take<double>() : 1.0;
}

class Given {
 public:
  Given(const eagle::Declaration& declaration, Bytes& in) : declaration_(declaration), n_(in.up_to(9)) {
    for (const eagle::Argument& a : declaration.arguments)
      if (in.up_to(7) != 0 && a.role != eagle::Role::nsamples) values_.insert_or_assign(a.name, another(a, in));
    if (in.up_to(15) == 0) values_.insert_or_assign("z", number_of(in));
  }

  [[nodiscard]] const eagle::Values& values() const { return values_; }

  /// A value that may suit an argument.
  eagle::Value another(const eagle::Argument& a, Bytes& in) {
    if (in.up_to(7) == 0 || (a.role == eagle::Role::uniform && in.up_to(7) != 0)) return number_of(in);
    eagle::ArrayView array;
    array.dtype = in.up_to(7) == 0 ? static_cast<eagle::DType>(in.up_to(6)) : a.dtype;
    array.shape = shape_of(a, in);
    array.strides = strides_of(array.shape, in);
    array.read_only = in.up_to(7) == 0;
    array.data = memory_of(array, in);
    arrays_.push_back({array, is_output(a, declaration_) && !array.read_only, a.role == eagle::Role::uniform});
    return array;
  }

  /// Whether an element of an output is one of another plane or table too.
  [[nodiscard]] bool overlaps() const {
    for (const Array& each : arrays_) {
      std::set<const unsigned char*> bytes;
      if (each.written) each_byte(each.view, [&](unsigned char* byte) { bytes.insert(byte); });
      for (const Array& other : arrays_) {
        bool shares = false;
        if (&other != &each && !other.copied)
          each_byte(other.view, [&](unsigned char* byte) { shares = shares || bytes.contains(byte); });
        if (shares) return true;
      }
    }
    return false;
  }

  /// That nothing but elements of outputs has changed, and those only where something ran.
  void check(bool ran) {
    std::set<const unsigned char*> may;
    for (const Array& each : arrays_)
      if (ran && each.written) each_byte(each.view, [&](unsigned char* byte) { may.insert(byte); });
    for (const Block& block : blocks_)
      for (std::size_t k = 0; k < block.size; ++k)
        require(block.bytes[k] == fill || may.contains(&block.bytes[k]),
                ran ? "only elements of outputs are written" : "what is refused has written nothing");
  }

 private:
  static constexpr unsigned char fill = 1;
  struct Block {
    std::unique_ptr<unsigned char[]> bytes;
    std::size_t size;
  };
  struct Array {
    eagle::ArrayView view;
    bool written;
    bool copied;  ///< a uniform, of which the box holds the value
  };

  eagle::Extents shape_of(const eagle::Argument& a, Bytes& in) const {
    if (in.up_to(7) == 0) {
      eagle::Extents any;
      for (std::int64_t k = in.up_to(3); k > 0; --k) any.push_back(in.up_to(5));
      return any;
    }
    if (!a.is_plane) return {n_};
    eagle::Extents shape = a.shape && in.coin() ? eagle::Extents{(*a.shape)[0], (*a.shape)[1]} : eagle::Extents{a.width};
    if (in.up_to(3) != 0) shape.insert(in.coin() ? shape.begin() : shape.end(), n_);
    return shape;
  }

  static eagle::Extents strides_of(const eagle::Extents& shape, Bytes& in) {
    eagle::Extents strides = eagle::row_major_strides(shape);
    const std::int64_t way = in.up_to(5);
    for (std::size_t k = 0; k < strides.size(); ++k) {
      if (way == 1) strides[k] *= -1;
      if (way == 2) strides[k] *= 2;
      if (way == 3) strides[k] = in.up_to(40) - 20;
      if (way == 4) strides[k] = k == 0 ? 1 : strides[k - 1] * shape[k - 1];
    }
    return strides;
  }

  /// Memory for just the elements; sometimes that of another array.
  void* memory_of(const eagle::ArrayView& array, Bytes& in) {
    if (array.size() == 0) return nullptr;
    std::int64_t first = 0, last = 0;
    for (std::size_t k = 0; k < array.shape.size(); ++k)
      (array.strides[k] < 0 ? first : last) += (array.shape[k] - 1) * array.strides[k];
    const auto size = static_cast<std::size_t>((last - first + 1) * size_of(array.dtype));
    const bool shares = in.up_to(7) == 0 && !blocks_.empty() && blocks_.back().size >= size;
    if (!shares) {
      blocks_.push_back({std::make_unique<unsigned char[]>(size), size});
      std::fill_n(blocks_.back().bytes.get(), size, fill);
    }
    return blocks_.back().bytes.get() - first * size_of(array.dtype);
  }

  const eagle::Declaration& declaration_;
  std::int64_t n_;
  eagle::Values values_;
  std::vector<Block> blocks_;
  std::vector<Array> arrays_;
};

}  // namespace fuzz
