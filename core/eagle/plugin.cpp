// SPDX-License-Identifier: Apache-2.0
#include <eagle/plugin.hpp>

#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include <eagle/digest.hpp>
#include <eagle/error.hpp>
#include <eagle/library.hpp>
#include <eagle/plugin_files.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle {

struct Plugin::State {
  Declaration declaration;
  std::map<Target, Image> images;
  std::optional<Library> library;
  std::atomic<void*> host_entry = nullptr;
  void* device_function = nullptr;
  bool given = false;  ///< whether the entry came from the caller, and nothing from files
  std::shared_ptr<const void> keep;
  std::atomic<bool> pinned = false;

  const Image& image(Target target) const {
    const auto found = images.find(target);
    if (found == images.end())
      throw Error(Code::placement, fmt::format("plugin '{}' ships no '{}' artifact", declaration.id, name(target)));
    return found->second;
  }
};

Plugin::Plugin(Declaration declaration, std::map<Target, Image> images) : state_(std::make_shared<State>()) {
  state_->declaration = std::move(declaration);
  state_->images = std::move(images);
}

Plugin::Plugin(Declaration declaration, void* entry, std::shared_ptr<const void> keep) : state_(std::make_shared<State>()) {
  state_->declaration = std::move(declaration);
  if (state_->declaration.ships(Target::device)) state_->device_function = entry;
  else state_->host_entry = entry;
  state_->given = true;
  state_->keep = std::move(keep);
}

const Declaration& Plugin::declaration() const noexcept { return state_->declaration; }

void* Plugin::host_entry() const {
  if (void* entry = state_->host_entry.load(std::memory_order_acquire)) return entry;
  const auto lock = Library::lock();
  if (!state_->library)
    state_->library = Library::open(state_->image(Target::host), state_->pinned ? Library::From::copy : Library::From::file);
  void* entry = state_->library->symbol(state_->declaration.host_entry);
  state_->host_entry.store(entry, std::memory_order_release);
  return entry;
}

void Plugin::pin() const noexcept { state_->pinned = true; }

void* Plugin::device_function() const noexcept { return state_->device_function; }

const Image& Plugin::image(Target target) const { return state_->image(target); }

const std::string& Plugin::device_image() const { return *state_->image(Target::device).bytes; }

std::uint64_t Plugin::index_bytes(Target target) const {
  return state_->given ? sizeof(std::uint32_t) : state_->image(target).index_bytes();
}

std::string Plugin::digest() const { return detail::digest_of(detail::texts_of(*this)); }

std::vector<std::string_view> detail::texts_of(const Plugin& plugin, bool with_manifest) {
  const Declaration& d = plugin.declaration();
  if (d.texts.empty())
    throw Error(Code::unsupported, fmt::format("plugin '{}' was given, not read from files: there is nothing to digest", d.id));
  std::vector<std::string_view> texts;
  for (std::size_t k = with_manifest ? 0 : 1; k < d.texts.size(); ++k) texts.emplace_back(*d.texts[k]);
  for (const Target target : {Target::device, Target::host})
    if (d.ships(target)) texts.emplace_back(*plugin.image(target).bytes);
  return texts;
}

namespace {

std::string shape_text(const Argument& a, Access access) {
  if (a.role == Role::uniform || a.role == Role::nsamples) return "number";
  if (a.shape) return fmt::format("({}, {}, n)", (*a.shape)[0], (*a.shape)[1]);
  if (a.is_plane) return fmt::format("({}, n)", a.width == 0 ? std::string("w") : std::to_string(a.width));
  if (a.role == Role::accum_out && access == Access::mapreduce) return "one value";
  const bool table = a.role == Role::lookup || a.role == Role::wide_in || a.role == Role::wide_out || a.role == Role::accum_out;
  return table ? "own length" : "(n,)";
}

}  // namespace

std::string to_string(const Plugin& plugin) {
  const Declaration& d = plugin.declaration();
  std::string targets;
  for (const Target target : d.targets) targets += fmt::format("{}{}", targets.empty() ? "" : ", ", name(target));
  std::string text =
      fmt::format("{}: {}{}, targets {}, schema {} ({}), {}\n", d.id, name(d.access),
                  d.op ? fmt::format(" {}", name(*d.op)) : "", targets, d.schema_version, d.aether_abi, d.scalar_type);
  for (const Argument& a : d.arguments) {
    text += fmt::format("  {:<11} {:<16} {:<8} {}{}\n", name(a.role), a.name, name(a.dtype), shape_text(a, d.access),
                        a.initial ? fmt::format(", starts from {}", to_string(*a.initial)) : "");
  }
  return detail::printable_lines(text);
}

}  // namespace eagle
