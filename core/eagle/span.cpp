// SPDX-License-Identifier: Apache-2.0
#include <eagle/span.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include <eagle/error.hpp>
#include <eagle/float_environment.hpp>
#include <eagle/names.hpp>
#include <fmt/format.h>

namespace eagle {
namespace {

using detail::block_samples;
using detail::Term;

constexpr std::string_view precisions[] = {"working", "compensated"};
constexpr std::string_view magic = "eagletr1";
constexpr std::uint32_t version = 1;
static_assert(std::endian::native == std::endian::little, "eagle supports little-endian machines");

/// Beyond every run, and far enough from the end of std::int64_t that borders can be counted.
constexpr std::int64_t most_samples = std::int64_t{1} << 62;

std::int64_t next_border(std::int64_t i) { return (i + block_samples - 1) / block_samples * block_samples; }

/// What stands before the values of a serialised part.
struct Header {
  std::array<char, 8> magic;
  std::uint32_t version, op, dtype, precision;
  std::uint64_t components;
  std::int64_t begin, end;
};
static_assert(sizeof(Header) == 48);

}  // namespace

std::string_view name(Precision precision) noexcept { return detail::name_of(precisions, precision); }
std::optional<Precision> precision_from(std::string_view text) noexcept {
  return detail::find_name<Precision>(precisions, text);
}

template <Reducible T>
Span<T>::Span(Op op, std::int64_t begin, Precision precision) : op_(op), precision_(precision), begin_(begin), end_(begin) {
  if (begin < 0 || begin > most_samples)
    throw Error(Code::partition, fmt::format("a span begins at {}: 0 to {} is accepted", begin, most_samples));
  if (compensated() && (op != Op::sum || std::integral<T>))
    throw Error(Code::placement, fmt::format("precision 'compensated' is for sums of float64 and float32, not for {} of {}",
                                             name(op), name(dtype_of<T>())));
}

template <Reducible T>
void Span<T>::append(const T* samples, std::int64_t count) {
  if (count <= 0) return;
  const DefaultFloatEnvironment environment;
  std::int64_t taken = 0;
  const auto take_raw = [&](std::int64_t m) {
    T lifted[block_samples];
    visit(op_, [&]<class O>(O) {
      for (std::int64_t k = 0; k < m; ++k) lifted[k] = canonical(O::lift(samples[taken + k]));
    });
    append_raw(lifted, m);
    taken += m;
  };
  if (end_ % block_samples != 0) take_raw(std::min(count, next_border(end_) - end_));
  const auto fold = detail::fold_blocks<T>(op_, compensated());
  while (count - taken >= block_samples) {
    constexpr std::int64_t at_once = 32;
    Term<T> values[at_once];
    const std::int64_t blocks = std::min(at_once, (count - taken) / block_samples);
    fold(samples + taken, blocks, values);
    for (std::int64_t b = 0; b < blocks; ++b, end_ += block_samples) push({0, end_ / block_samples, values[b]});
    taken += blocks * block_samples;
  }
  if (taken < count) take_raw(count - taken);
}

/// Takes lifted, canonical samples that do not reach beyond the next border.
template <Reducible T>
void Span<T>::append_raw(const T* lifted, std::int64_t count) {
  const bool in_front = end_ < next_border(begin_);
  std::vector<T>& pieces = in_front ? front_ : back_;
  pieces.insert(pieces.end(), lifted, lifted + count);
  end_ += count;
  if (in_front || static_cast<std::int64_t>(back_.size()) < block_samples) return;
  Term<T> value;
  detail::fold_blocks<T>(op_, compensated())(back_.data(), 1, &value);
  back_.clear();
  push({0, end_ / block_samples - 1, value});
}

/// Adds a subtree at the end and joins it with its left siblings for as long as they are there.
template <Reducible T>
void Span<T>::push(Node node) {
  while (!nodes_.empty() && node.index % 2 == 1 && nodes_.back().level == node.level) {
    node = {node.level + 1, node.index / 2, detail::combine(op_, compensated(), nodes_.back().value, node.value)};
    nodes_.pop_back();
  }
  nodes_.push_back(node);
}

template <Reducible T>
void Span<T>::append_nodes(int level, const Term<T>* values, std::int64_t count) {
  if (count <= 0) return;
  const std::int64_t samples = block_samples << level;
  if (end_ % samples != 0)
    throw Error(Code::partition, fmt::format("subtrees of {} samples do not begin at {}", samples, end_));
  const DefaultFloatEnvironment environment;
  for (std::int64_t k = 0; k < count; ++k, end_ += samples) push({level, end_ / samples, values[k]});
}

template <Reducible T>
void Span<T>::merge(const Span& right) {
  if (right.op_ != op_ || right.precision_ != precision_)
    throw Error(Code::placement, fmt::format("spans of {} ({}) and {} ({}) do not merge", name(op_), name(precision_),
                                             name(right.op_), name(right.precision_)));
  if (right.begin_ == right.end_) return;
  if (begin_ == end_) {
    *this = right;
    return;
  }
  if (right.begin_ != end_)
    throw Error(Code::partition,
                fmt::format("spans [{}, {}) and [{}, {}) do not touch", begin_, end_, right.begin_, right.end_));
  const DefaultFloatEnvironment environment;
  append_raw(right.front_.data(), static_cast<std::int64_t>(right.front_.size()));
  for (const Node& node : right.nodes_) push(node);
  if (!right.nodes_.empty()) end_ = (right.nodes_.back().index + 1) * (block_samples << right.nodes_.back().level);
  append_raw(right.back_.data(), static_cast<std::int64_t>(right.back_.size()));
}

template <Reducible T>
void Span<T>::assign(std::vector<T> front, std::vector<Node> nodes, std::vector<T> back, std::int64_t end) {
  front_ = std::move(front);
  nodes_ = std::move(nodes);
  back_ = std::move(back);
  end_ = end;
}

template <Reducible T>
Term<T> Span<T>::root(std::int64_t n) const {
  if (begin_ != 0 || end_ != n || n < 1)
    throw Error(Code::partition, fmt::format("the span [{}, {}) is not the whole run [0, {})", begin_, end_, n));
  const DefaultFloatEnvironment environment;
  std::optional<Term<T>> right;
  if (!back_.empty())
    right = detail::fold_short_block(op_, compensated(), back_.data(), static_cast<std::int64_t>(back_.size()));
  for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node)
    right = right ? detail::combine(op_, compensated(), node->value, *right) : node->value;
  return *right;
}

template <Reducible T>
T Span<T>::finish(std::int64_t n) const {
  if (n == 0 && begin_ == end_) return identity<T>(op_);
  const DefaultFloatEnvironment environment;
  const Term<T> term = root(n);
  if constexpr (std::floating_point<T>)
    if (term.e != T(0) && std::isfinite(term.s) && std::isfinite(term.e)) return canonical(term.s + term.e);
  return canonical(term.s);
}

template <Reducible T>
std::vector<std::byte> serialise(std::span<const Span<T>> components) {
  if (components.empty()) throw Error(Code::partition, "no span to serialise");
  const Span<T>& first = components.front();
  for (const Span<T>& each : components)
    if (each.op() != first.op() || each.precision() != first.precision() || each.begin() != first.begin() ||
        each.end() != first.end())
      throw Error(Code::partition, "the components of a serialised span differ in operator, precision or range");
  Header header{{},
                version,
                static_cast<std::uint32_t>(first.op()),
                static_cast<std::uint32_t>(dtype_of<T>()),
                static_cast<std::uint32_t>(first.precision()),
                components.size(),
                first.begin(),
                first.end()};
  std::copy(magic.begin(), magic.end(), header.magic.begin());
  const std::size_t node_values = first.precision() == Precision::compensated ? 2 : 1;
  const std::size_t rows = first.front().size() + first.nodes().size() * node_values + first.back().size();
  std::vector<std::byte> bytes(sizeof header + rows * components.size() * sizeof(T));
  std::memcpy(bytes.data(), &header, sizeof header);
  std::byte* next = bytes.data() + sizeof header;
  const auto put = [&next](const T* values, std::size_t count) {
    if (count > 0) std::memcpy(next, values, count * sizeof(T));
    next += count * sizeof(T);
  };
  const auto put_raw = [&](const std::vector<T>& (Span<T>::*piece)() const) {
    if (components.size() == 1) return put((first.*piece)().data(), (first.*piece)().size());
    for (std::size_t i = 0; i < (first.*piece)().size(); ++i)
      for (const Span<T>& each : components) put(&(each.*piece)()[i], 1);
  };
  put_raw(&Span<T>::front);
  for (std::size_t i = 0; i < first.nodes().size(); ++i) {
    for (const Span<T>& each : components) put(&each.nodes()[i].value.s, 1);
    if (node_values == 2)
      for (const Span<T>& each : components) put(&each.nodes()[i].value.e, 1);
  }
  put_raw(&Span<T>::back);
  return bytes;
}

namespace {

/// The subtrees of [begin, end): the largest that fit, from left to right.
template <class T>
std::vector<typename Span<T>::Node> layout_of(std::int64_t begin, std::int64_t end) {
  std::vector<typename Span<T>::Node> nodes;
  const std::int64_t last = end / block_samples;
  for (std::int64_t block = (begin + block_samples - 1) / block_samples; block < last;) {
    int level = 0;
    while (block % (std::int64_t{2} << level) == 0 && block + (std::int64_t{2} << level) <= last) ++level;
    nodes.push_back({level, block >> level, {}});
    block += std::int64_t{1} << level;
  }
  return nodes;
}

}  // namespace

template <Reducible T>
std::vector<Span<T>> deserialise(std::span<const std::byte> bytes) {
  const auto refuse = [](const std::string& why) { throw Error(Code::io, "a serialised span is refused: " + why); };
  Header header{};
  if (bytes.size() < sizeof header) refuse("it is shorter than its header");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::string_view(header.magic.data(), header.magic.size()) != magic) refuse("its magic is wrong");
  if (header.version != version) refuse(fmt::format("its version is {}, and {} is read here", header.version, version));
  if (header.op > static_cast<std::uint32_t>(Op::land) || header.precision > 1) refuse("its operator or precision is unknown");
  if (header.dtype != static_cast<std::uint32_t>(dtype_of<T>())) refuse(fmt::format("its type is not {}", name(dtype_of<T>())));
  if (header.begin < 0 || header.end < header.begin || header.end > most_samples) refuse("its range is not a range");
  const auto precision = static_cast<Precision>(header.precision);
  if (precision == Precision::compensated && (std::integral<T> || header.op != static_cast<std::uint32_t>(Op::sum)))
    refuse("its precision is not one of its operator and type");
  const std::int64_t border = std::min(
      header.begin % block_samples == 0 ? header.begin : (header.begin / block_samples + 1) * block_samples, header.end);
  const auto front = static_cast<std::size_t>(border - header.begin);
  const std::vector<typename Span<T>::Node> nodes = layout_of<T>(header.begin, header.end);
  const std::size_t back = header.end > border ? static_cast<std::size_t>(header.end % block_samples) : 0;
  const std::size_t values = front + nodes.size() * (precision == Precision::compensated ? 2 : 1) + back;
  const std::size_t payload = bytes.size() - sizeof header;
  constexpr std::size_t most_empty = 1024;  // components of a part without a sample, which no length bounds
  if (header.components == 0 || header.components > std::max(payload / sizeof(T), most_empty))
    refuse("its number of components is wrong");
  if (payload != values * header.components * sizeof(T)) refuse("its length is wrong");

  const auto components = static_cast<std::size_t>(header.components);
  std::vector<Span<T>> spans;
  const std::byte* next = bytes.data() + sizeof header;
  const auto value = [next, components](std::size_t row, std::size_t component) {
    T read;
    std::memcpy(&read, next + (row * components + component) * sizeof(T), sizeof(T));
    return read;
  };
  for (std::size_t c = 0; c < components; ++c) {
    Span<T> span(static_cast<Op>(header.op), header.begin, precision);
    const auto column = [&](std::size_t first_row, std::size_t count) {
      std::vector<T> values_of(count);
      if (components == 1 && count > 0) std::memcpy(values_of.data(), next + first_row * sizeof(T), count * sizeof(T));
      else
        for (std::size_t i = 0; i < count; ++i) values_of[i] = value(first_row + i, c);
      return values_of;
    };
    std::vector<T> raw = column(0, front);
    std::vector<typename Span<T>::Node> filled = nodes;
    std::size_t row = front;
    for (auto& node : filled) {
      node.value.s = value(row++, c);
      if (precision == Precision::compensated) node.value.e = value(row++, c);
    }
    std::vector<T> rest = column(row, back);
    span.assign(std::move(raw), std::move(filled), std::move(rest), header.end);
    spans.push_back(std::move(span));
  }
  return spans;
}

#define EAGLE_INSTANTIATE(T)                                           \
  template class Span<T>;                                              \
  template std::vector<std::byte> serialise(std::span<const Span<T>>); \
  template std::vector<Span<T>> deserialise(std::span<const std::byte>);
EAGLE_EACH_REDUCIBLE(EAGLE_INSTANTIATE)

}  // namespace eagle
