// SPDX-License-Identifier: Apache-2.0
#include <eagle/digest.hpp>

#include <array>
#include <cstdint>
#include <memory>

#include <eagle/error.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

namespace eagle::detail {
namespace {

void require(bool done) {
  if (!done) throw Error(Code::internal, "libcrypto gives no SHA-256");
}

class Sha256 {
 public:
  Sha256() { require(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1); }
  void take(const void* bytes, std::size_t count) { require(EVP_DigestUpdate(context_.get(), bytes, count) == 1); }
  std::string text() {
    std::array<unsigned char, 32> digest = {};
    require(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) == 1);
    return fmt::format("{:02x}", fmt::join(digest, ""));
  }

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

}  // namespace

std::string sha256(const std::vector<std::string_view>& texts) {
  Sha256 digest;
  for (const std::string_view text : texts) digest.take(text.data(), text.size());
  return digest.text();
}

std::string sha256_of(const void* bytes, std::size_t count) { return sha256({{static_cast<const char*>(bytes), count}}); }

std::uint64_t fnv1a(std::string_view text) noexcept {
  std::uint64_t value = 0xcbf29ce484222325;
  for (const char each : text) value = (value ^ static_cast<unsigned char>(each)) * 0x100000001b3;
  return value;
}

}  // namespace eagle::detail
