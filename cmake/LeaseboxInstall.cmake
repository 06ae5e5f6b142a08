# Installs the libraries with their headers, and a package config that asks only for what the
# chosen components need.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(leasebox_libraries GLOBAL PROPERTY LEASEBOX_LIBRARIES)
set(leasebox_destination ${CMAKE_INSTALL_LIBDIR}/cmake/Leasebox)

foreach(library IN LISTS leasebox_libraries)
  get_target_property(header_sets ${library} INTERFACE_HEADER_SETS)
  if(header_sets)
    install(TARGETS ${library} EXPORT LeaseboxTargets FILE_SET HEADERS)
  else()
    install(TARGETS ${library} EXPORT LeaseboxTargets)
  endif()
endforeach()
if(TARGET leasebox_cli)
  install(TARGETS leasebox_cli)
endif()

install(EXPORT LeaseboxTargets NAMESPACE leasebox:: DESTINATION ${leasebox_destination})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/LeaseboxConfig.cmake.in
  ${PROJECT_BINARY_DIR}/LeaseboxConfig.cmake INSTALL_DESTINATION ${leasebox_destination})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/LeaseboxConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/LeaseboxConfig.cmake
              ${PROJECT_BINARY_DIR}/LeaseboxConfigVersion.cmake
        DESTINATION ${leasebox_destination})
