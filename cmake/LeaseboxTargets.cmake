# What all our targets have in common. No global flags: everything is set on targets.

# Warnings for our own code; errors only where we are the top-level project.
function(leasebox_warnings target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
    -Wold-style-cast -Woverloaded-virtual -Wimplicit-fallthrough
    $<$<BOOL:${LEASEBOX_WERROR}>:-Werror>)
endfunction()

# leasebox_library(NAME SOURCES … HEADERS … [PUBLIC …] [PRIVATE …])
# Makes the static library leasebox_NAME, known as leasebox::NAME inside and outside.
function(leasebox_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;HEADERS;PUBLIC;PRIVATE" ${ARGN})
  add_library(leasebox_${name} STATIC ${arg_SOURCES})
  add_library(leasebox::${name} ALIAS leasebox_${name})
  list(TRANSFORM arg_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/include/leasebox/)
  target_sources(leasebox_${name} PUBLIC FILE_SET HEADERS
    BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${arg_HEADERS})
  target_include_directories(leasebox_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(leasebox_${name} PUBLIC cxx_std_20)
  set_target_properties(leasebox_${name} PROPERTIES
    EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
  target_link_libraries(leasebox_${name} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  leasebox_warnings(leasebox_${name})
  set_property(GLOBAL APPEND PROPERTY LEASEBOX_LIBRARIES leasebox_${name})
endfunction()
