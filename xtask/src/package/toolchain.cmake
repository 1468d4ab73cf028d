# cmake -DCMAKE_TOOLCHAIN_FILE=PREFIX/share/pc3/toolchain.cmake: C, and MPI, by pc3cc.
get_filename_component(PC3_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
set(CMAKE_C_COMPILER "${PC3_PREFIX}/bin/pc3cc")
# FindMPI: the compiler has MPI by itself.
set(MPI_C_COMPILER "${PC3_PREFIX}/bin/pc3cc")
set(MPIEXEC_EXECUTABLE "${PC3_PREFIX}/bin/pc3run")
# A shared object keeps no data for pc3.
set(BUILD_SHARED_LIBS OFF CACHE BOOL "pc3 links archives")
