# Makes an ament_cmake interface package build on the ROS 2 wheels of PyPI as well as on a
# distribution, where all of this is without effect.
#
# Include right after find_package(ament_cmake): pip's build environment does not set
# AMENT_PREFIX_PATH, and the generators are looked up there.
if(NOT DEFINED ENV{AMENT_PREFIX_PATH})
  get_filename_component(_prefix "${ament_cmake_DIR}/../../.." ABSOLUTE)
  set(ENV{AMENT_PREFIX_PATH} "${_prefix}")
endif()

# A wheel is for Python, which needs C alone. Without C++ types, and with the generated sources of a
# library compiled together, a package takes a fifth of the time.
#
# Call after all find_package.
macro(leave_out_cpp_in_a_wheel)
  if(SKBUILD)
    list(FILTER AMENT_EXTENSIONS_rosidl_generate_idl_interfaces EXCLUDE REGEX "_cpp:")
    set(CMAKE_UNITY_BUILD ON)
    set(CMAKE_UNITY_BUILD_BATCH_SIZE 0)
    set(CMAKE_C_FLAGS_RELEASE "-O1 -DNDEBUG")
    set(CMAKE_CXX_FLAGS_RELEASE "-O1 -DNDEBUG")
  endif()
endmacro()

# Call after rosidl_generate_interfaces: the exported targets <pkg>__rosidl_generator_py carry
# include folders of the machine that built the wheels, and CMake refuses folders that are absent.
# And the sources of <pkg>__rosidl_generator_c have static names in common.
function(mend_generated_targets)
  set_target_properties(${PROJECT_NAME}__rosidl_generator_c PROPERTIES UNITY_BUILD OFF)
  get_directory_property(targets IMPORTED_TARGETS)
  foreach(target ${targets})
    if(target MATCHES "__rosidl_generator_py$")
      set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "")
    endif()
  endforeach()
endfunction()
