# SPDX-License-Identifier: Apache-2.0
# Part of eagle_add_plugin: writes what it was told into manifest, sidecar and a header that EAGLE_PLUGIN compares with its own
# arguments. The same declaration gives the same bytes, wherever it is built.

# A role's list in the sidecar, and a dtype's C++ type.
set(_eagle_list_wide_out wide_outputs)
set(_eagle_list_accum_out accum_outputs)
set(_eagle_list_vec_in vector_inputs)
set(_eagle_list_mat_in matrix_inputs)
set(_eagle_list_wide_in wide_inputs)
set(_eagle_list_per_sample per_sample)
set(_eagle_type_float64 double)
set(_eagle_type_float32 float)
set(_eagle_type_int64 std::int64_t)
set(_eagle_type_int32 std::int32_t)
set(_eagle_type_uint64 std::uint64_t)
set(_eagle_type_uint32 std::uint32_t)
set(_eagle_type_bool std::uint8_t)
set(_eagle_type_index eagle::Index)

set(_eagle_arrays params per_sample vector_inputs matrix_inputs mutables wide_inputs wide_outputs accum_outputs arg_spec)
set(_eagle_objects mat_shapes arg_widths arg_shapes arg_dtypes)

# Writes manifest.json and NAME.json into the bundle, and ${declaration}.
function(_eagle_write_bundle)
  foreach(list ${_eagle_arrays} ${_eagle_objects} unsized pairs)
    set(${list} "")
  endforeach()
  foreach(text IN LISTS arguments)
    string(REPLACE " " ";" text "${text}")
    list(POP_FRONT text order argument role dtype kind width rows columns)
    _eagle_append(arg_spec "[\n      \"${role}\",\n      \"${argument}\"\n    ]")
    _eagle_describe_type()
    if(role STREQUAL "uniform")
      string(REGEX REPLACE "[0-9]+" "" dtype ${dtype})
      _eagle_append(params "{\n      \"name\": \"${argument}\",\n      \"dtype\": \"${dtype}\"\n    }")
    elseif(NOT role STREQUAL "nsamples")
      _eagle_describe_plane()
    endif()
  endforeach()
  if(unsized)
    _eagle_append(arg_shapes "${unsized}")
  endif()
  foreach(list ${_eagle_arrays})
    _eagle_enclose(${list} "[" "]")
  endforeach()
  foreach(list ${_eagle_objects})
    _eagle_enclose(${list} "{" "}")
  endforeach()
  _eagle_write_files()
endfunction()

macro(_eagle_append list entry)
  if(${list})
    string(APPEND ${list} ",\n    ")
  endif()
  string(APPEND ${list} "${entry}")
endmacro()

macro(_eagle_enclose list open close)
  if(${list})
    set(${list} "\n    ${${list}}\n  ")
  endif()
  set(${list} "${open}${${list}}${close}")
endmacro()

macro(_eagle_describe_type)
  set(type "${_eagle_type_${dtype}}")
  if(role MATCHES "^(vec_in|mat_in|wide_in|per_sample)$" OR (role STREQUAL "lookup" AND NOT argument STREQUAL "finished_count")
      OR (role STREQUAL "terminated" AND NOT arg_WRITES_TERMINATED))
    set(type "const ${type}")
  endif()
  if(kind STREQUAL "matrix")
    set(type "eagle::Plane<${type}[${rows}][${columns}]>")
  elseif(kind STREQUAL "vector")
    set(type "eagle::Plane<${type}[${rows}]>")
  elseif(NOT role MATCHES "^(uniform|nsamples)$")
    set(type "eagle::Scalar<${type}>")
  endif()
  list(APPEND pairs "(${type}, ${argument})")
endmacro()

macro(_eagle_describe_plane)
  set(shape "[\n      ${rows},\n      ${columns}\n    ]")
  if(DEFINED _eagle_list_${role})
    _eagle_append(${_eagle_list_${role}} "\"${argument}\"")
  elseif(role STREQUAL "mutable")
    _eagle_describe_mutable()
  endif()
  if(kind STREQUAL "matrix" AND NOT role STREQUAL "mutable")
    _eagle_append(mat_shapes "\"${argument}\": ${shape}")
  endif()
  _eagle_append(arg_dtypes "\"${argument}\": \"${dtype}\"")
  if(role MATCHES "^(wide_out|accum_out|wide_in|lookup)$")
    _eagle_append(unsized "\"${argument}\": null")
  else()
    _eagle_append(arg_widths "\"${argument}\": ${width}")
    _eagle_append(arg_shapes "\"${argument}\": ${width}")
  endif()
endmacro()

macro(_eagle_describe_mutable)
  set(default null)
  if(DEFINED _eagle_default_${argument})
    set(default ${_eagle_default_${argument}})
  endif()
  if(kind STREQUAL "scalar" AND dtype STREQUAL "int64")
    set(kind int)
  endif()
  string(CONCAT entry "\"name\": \"${argument}\",\n      \"dtype\": \"${kind}\",\n      \"width\": ${width},\n"
    "      \"default\": ${default}")
  if(kind STREQUAL "matrix")
    string(APPEND entry ",\n      \"shape\": [\n        ${rows},\n        ${columns}\n      ]")
  endif()
  _eagle_append(mutables "{\n      ${entry}\n    }")
endmacro()

function(_eagle_write_files)
  set(op "")
  if(arg_OP)
    set(op "\n  \"exec_op\": \"${arg_OP}\",")
  endif()
  set(terminated_readonly true)
  if(arg_WRITES_TERMINATED)
    set(terminated_readonly false)
  endif()
  list(JOIN pairs ", " pairs)
  file(CONFIGURE OUTPUT "${declaration}" CONTENT "#define EAGLE_DECLARATION @pairs@\n" @ONLY)
  file(CONFIGURE OUTPUT "${arg_BUNDLE}/manifest.json" CONTENT "${_eagle_manifest}" @ONLY NEWLINE_STYLE UNIX)
  file(CONFIGURE OUTPUT "${arg_BUNDLE}/${name}.json" CONTENT "${_eagle_sidecar}" @ONLY NEWLINE_STYLE UNIX)
endfunction()

set(_eagle_manifest [[{
  "schema_version": 2,
  "pattern": "pure",
  "aether_abi": "aether-abi/2",
  "exec_targets": [
    @targets@
  ],
  "exec_access": "@arg_ACCESS@",@op@
  "plugins": [
    {
      "id": "@name@",
      "order": 0,
      "enabled": true,
      "artifact": "@artifact@",
      "sidecar": "@name@.json",
      "format": "@arg_FORMAT@"
    }
  ]
}
]])
set(_eagle_sidecar [[{
  "format": "@arg_FORMAT@",
  "schema_version": 2,
  "pattern": "pure",
  "aether_abi": "aether-abi/2",
  "exec_targets": [
    @targets@
  ],
  "exec_access": "@arg_ACCESS@",@op@
  "scalar_type": "@arg_SCALAR@",
  "kernel": "@arg_KERNEL@",
  "params": @params@,
  "params_schema": 2,
  "per_sample": @per_sample@,
  "vector_inputs": @vector_inputs@,
  "matrix_inputs": @matrix_inputs@,
  "mat_shapes": @mat_shapes@,
  "mutables": @mutables@,
  "arg_widths": @arg_widths@,
  "arg_shapes": @arg_shapes@,
  "arg_dtypes": @arg_dtypes@,
  "wide_inputs": @wide_inputs@,
  "wide_outputs": @wide_outputs@,
  "accum_outputs": @accum_outputs@,
  "dispatch": [],
  "buffers": [],
  "arg_spec": @arg_spec@,
  "terminated_readonly": @terminated_readonly@,
  "quantities": {},
  "host_entry": "@arg_KERNEL@_host"
}
]])
