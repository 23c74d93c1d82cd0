// SPDX-License-Identifier: Apache-2.0
#include <eagle/digest.hpp>

#include <array>
#include <cstdint>
#include <memory>

#include <eagle/error.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

namespace eagle::detail {
namespace {

void require(bool done) {
  if (!done) throw Error(Code::internal, "libcrypto gives no SHA-256");
}

/// In a library context of its own, which reads no configuration: OPENSSL_CONF may name code to load. Before OpenSSL 3 there
/// are none.
const EVP_MD* algorithm() {
#if OPENSSL_VERSION_NUMBER < 0x30000000L
  return EVP_sha256();
#else
  static const EVP_MD* const sha256 = [] {
    std::unique_ptr<OSSL_LIB_CTX, void (*)(OSSL_LIB_CTX*)> library(OSSL_LIB_CTX_new(), OSSL_LIB_CTX_free);
    const EVP_MD* found = library ? EVP_MD_fetch(library.get(), "SHA2-256", nullptr) : nullptr;
    require(found != nullptr);
    static_cast<void>(library.release());  // for as long as the process runs
    return found;
  }();
  return sha256;
#endif
}

}  // namespace

std::string sha256_of(const void* bytes, std::size_t count) {
  std::array<unsigned char, 32> digest = {};
  require(EVP_Digest(bytes, count, digest.data(), nullptr, algorithm(), nullptr) == 1);
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

std::string digest_of(const std::vector<std::string_view>& texts) {
  std::string list;
  for (const std::string_view text : texts) list += sha256_of(text.data(), text.size()) + '\n';
  return sha256_of(list.data(), list.size());
}

std::uint64_t fnv1a(std::string_view text) noexcept {
  std::uint64_t value = 0xcbf29ce484222325;
  for (const char each : text) value = (value ^ static_cast<unsigned char>(each)) * 0x100000001b3;
  return value;
}

}  // namespace eagle::detail
