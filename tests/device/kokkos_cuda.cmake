# cmake -DNVCC= -DCXX= -DINCLUDES=a;b -DKOKKOS=include/kokkos -DSOURCE= -DOUTPUT=folder -P kokkos_cuda.cmake: the lambda API compiles
# for Kokkos::Cuda. A Kokkos without CUDA has its headers all the same: an overlay switches them on, and the object, which such a
# Kokkos could not link, is all that is made.
function(overlay name)
  string(JOIN "\n" text "#pragma once" "#include_next <${name}>" ${ARGN} "")
  file(WRITE "${OUTPUT}/overlay/${name}" "${text}")
endfunction()
overlay(KokkosCore_config.h "#define KOKKOS_ENABLE_CUDA" "#define KOKKOS_ARCH_HOPPER" "#define KOKKOS_ARCH_HOPPER90")
overlay(KokkosCore_Config_FwdBackend.hpp "#include <fwd/Kokkos_Fwd_CUDA.hpp>")
overlay(KokkosCore_Config_SetupBackend.hpp "#include <setup/Kokkos_Setup_Cuda.hpp>")
overlay(KokkosCore_Config_DeclareBackend.hpp "#include <decl/Kokkos_Declare_CUDA.hpp>")
overlay(desul/atomics/Config.hpp "#define DESUL_ATOMICS_ENABLE_CUDA")
list(TRANSFORM INCLUDES PREPEND -I)
execute_process(COMMAND "${NVCC}" -c -std=c++20 -arch=sm_90 --extended-lambda --expt-relaxed-constexpr -Xcompiler -fopenmp
  -ccbin "${CXX}" "-I${OUTPUT}/overlay" ${INCLUDES} "-isystem=${KOKKOS}" -o "${OUTPUT}/kokkos_cuda.o" "${SOURCE}"
  COMMAND_ERROR_IS_FATAL ANY)
