// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace eagle {

/// One defect of a bundle.
struct Finding {
  std::string code;     ///< kind of defect for programs, e.g. "missing-key"
  std::string plugin;   ///< id of the plugin, empty for the manifest as a whole
  std::string pointer;  ///< the place: file name, then a JSON pointer (RFC 6901) for JSON files, e.g. "axpy.json#/arg_spec/0"
  std::string message;  ///< what was found, what is accepted, what to do
};

using Findings = std::vector<Finding>;

/// "axpy (axpy.json#/arg_spec/0): message".
std::string to_string(const Finding& finding);

}  // namespace eagle
