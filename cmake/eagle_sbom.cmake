# A bill of materials: what this build compiles in or links of others, in CycloneDX 1.6 (ECMA-424). It has no date and no serial
# number, so that the same build gives the same bytes.
set_property(GLOBAL PROPERTY eagle_sbom [[{
  "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
  "bomFormat": "CycloneDX",
  "specVersion": "1.6",
  "version": 1,
  "metadata": {},
  "components": [],
  "dependencies": [{"ref": "eagle", "dependsOn": []}]
}]])

# eagle_part(NAME VERSION LICENSE PURL): one more component; LICENSE is an SPDX expression.
function(eagle_part name version license purl)
  _eagle_component(part library ${name} "${version}" "${license}" "${purl}")
  get_property(sbom GLOBAL PROPERTY eagle_sbom)
  string(JSON count LENGTH "${sbom}" components)
  string(JSON sbom SET "${sbom}" components ${count} "${part}")
  string(JSON sbom SET "${sbom}" dependencies 0 dependsOn ${count} "\"${name}\"")
  set_property(GLOBAL PROPERTY eagle_sbom "${sbom}")
endfunction()

function(_eagle_component result type name version license purl)
  set(${result} [[{"type": "", "bom-ref": "", "name": "", "version": "", "licenses": [{"expression": ""}], "purl": ""}]])
  foreach(key type name version purl)
    string(JSON ${result} SET "${${result}}" ${key} "\"${${key}}\"")
  endforeach()
  string(JSON ${result} SET "${${result}}" bom-ref "\"${name}\"")
  string(JSON ${result} SET "${${result}}" licenses 0 expression "\"${license}\"")
  set(${result} "${${result}}" PARENT_SCOPE)
endfunction()

# eagle_write_sbom(FILE): all parts so far.
function(eagle_write_sbom file)
  _eagle_component(self library eagle ${PROJECT_VERSION} Apache-2.0 "pkg:generic/eagle@${PROJECT_VERSION}")
  get_property(sbom GLOBAL PROPERTY eagle_sbom)
  string(JSON sbom SET "${sbom}" metadata component "${self}")
  file(CONFIGURE OUTPUT "${file}" CONTENT "@sbom@\n" @ONLY NEWLINE_STYLE UNIX)
endfunction()
