# Makes an ament_cmake interface package build on the ROS 2 wheels of PyPI as well as on a
# distribution, where both halves are without effect.
#
# Include right after find_package(ament_cmake): pip's build environment does not set
# AMENT_PREFIX_PATH, and the generators are looked up there.
if(NOT DEFINED ENV{AMENT_PREFIX_PATH})
  get_filename_component(_prefix "${ament_cmake_DIR}/../../.." ABSOLUTE)
  set(ENV{AMENT_PREFIX_PATH} "${_prefix}")
endif()

# Call after rosidl_generate_interfaces: the exported targets <pkg>__rosidl_generator_py carry
# include folders of the machine that built the wheels, and CMake refuses folders that are absent.
function(forget_foreign_include_folders)
  get_directory_property(targets IMPORTED_TARGETS)
  foreach(target ${targets})
    if(target MATCHES "__rosidl_generator_py$")
      set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "")
    endif()
  endforeach()
endfunction()
