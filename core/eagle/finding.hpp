// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace eagle {

/// One defect of a bundle. Codes of manifests and sidecars:
///   json            no JSON, or JSON that readers disagree on (a key twice, a byte order mark, ...)
///   upgrade         newer than this eagle
///   missing-key     what is needed is not there
///   forbidden-key   what must not be there is
///   wrong-type      a value of another type
///   bad-value       a value of the right type that is not accepted
///   duplicate       a name that is taken
///   mismatch        two places that must agree and do not
///   path            a path that leads out of the bundle
///   not-found       a file that is named and is not there, or is no regular file
///   unreadable      a file that is there and cannot be read
///   not-launchable  valid, and nothing that eagle can run
///   too-many        there are more findings than the 1000 before this one
/// Those of artifacts are listed at check_image().
struct Finding {
  std::string code;     ///< kind of defect for programs, e.g. "missing-key"
  std::string plugin;   ///< id of the plugin, empty for the manifest as a whole
  std::string pointer;  ///< the place: file name, then a JSON pointer (RFC 6901) for JSON files, e.g. "axpy.json#/arg_spec/0"
  std::string message;  ///< what was found, what is accepted, what to do
};

using Findings = std::vector<Finding>;

/// "axpy (axpy.json#/arg_spec/0): message".
std::string to_string(const Finding& finding);

/// {"ok": ..., "findings": [{"code", "plugin", "pointer", "message"}...]}, indented. Valid UTF-8:
/// other bytes become escapes, e.g. "\xff".
std::string to_json(const Findings& findings);

}  // namespace eagle
