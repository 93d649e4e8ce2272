# find_package(pleach): the targets pleach::pleach (shared) and pleach::pleach-static.
get_filename_component(PLEACH_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET pleach::pleach)
  add_library(pleach::pleach SHARED IMPORTED)
  set_target_properties(pleach::pleach PROPERTIES
    IMPORTED_LOCATION "${PLEACH_PREFIX}/lib/libpleach@SUFFIX@"
    IMPORTED_NO_SONAME TRUE
    INTERFACE_INCLUDE_DIRECTORIES "${PLEACH_PREFIX}/include")
endif()

if(NOT TARGET pleach::pleach-static)
  set(THREADS_PREFER_PTHREAD_FLAG ON)
  find_package(Threads REQUIRED)
  add_library(pleach::pleach-static STATIC IMPORTED)
  set_target_properties(pleach::pleach-static PROPERTIES
    IMPORTED_LOCATION "${PLEACH_PREFIX}/lib/libpleach.a"
    INTERFACE_INCLUDE_DIRECTORIES "${PLEACH_PREFIX}/include"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};m")
endif()
