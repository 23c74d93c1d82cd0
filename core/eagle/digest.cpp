// SPDX-License-Identifier: Apache-2.0
#include <eagle/digest.hpp>

#include <array>
#include <cstdint>
#include <memory>

#include <eagle/error.hpp>
#include <eagle/file.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

namespace eagle::detail {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;

void require(bool done) {
  if (!done) throw Error(Code::internal, "libcrypto gives no SHA-256");
}

}  // namespace

std::string sha256(const std::vector<std::filesystem::path>& files) {
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  require(context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1);
  for (const std::filesystem::path& file : files) {
    const std::string bytes = read_file(file, most_bytes);
    require(EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) == 1);
  }
  std::array<unsigned char, 32> digest = {};
  require(EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) == 1);
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

}  // namespace eagle::detail
