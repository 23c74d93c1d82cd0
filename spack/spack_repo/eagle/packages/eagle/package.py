# SPDX-License-Identifier: Apache-2.0
import os

try:  # Spack 1.x
    from spack_repo.builtin.build_systems.cmake import CMakePackage
    from spack_repo.builtin.build_systems.cuda import CudaPackage
    from spack_repo.builtin.build_systems.python import PythonExtension
except ImportError:  # 0.23 has them in spack.package
    pass
from spack.package import *


class Eagle(CMakePackage, CudaPackage, PythonExtension):
    """Runs compiled per-sample bodies on CPU threads, CUDA devices, MPI ranks and groups of GPUs, cut anyhow, with the same
    bits."""

    # The checkout that this recipe lies in: no release is published yet.
    git = "file://" + os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 5))

    license("Apache-2.0")

    version("main", branch="main")

    variant("openmp", default=True, description="HostTeam, on Kokkos with OpenMP")
    variant("mpi", default=True, description="RankPartition, on MPI")
    variant("nccl", default=False, when="+cuda", description="DeviceGroup, which opens NCCL when it runs")
    variant("python", default=False, when="+openmp", description="the Python package")
    variant("kokkos-kernels", default=False, when="+openmp", description="the worked plugin that stands on Kokkos Kernels")
    variant("shared", default=True, description="shared libraries")
    variant("tests", default=False, when="+openmp", description="build the tests, for `spack install --test=root`")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    generator("ninja")

    # Seen working: fmt 10.1, RapidJSON 1.1, OpenSSL 3.5, CLI11 2.4, Kokkos 5.2.2, Kokkos Kernels 5.0.2, MPICH 4.2, Open MPI 5.0.
    depends_on("fmt@9:")
    depends_on("rapidjson@1.1:", type="build")
    depends_on("openssl@1.1:")
    depends_on("cli11@2.3:", type="build")
    depends_on("kokkos@4.5: +openmp", when="+openmp")
    depends_on("kokkos-kernels@4.6: +openmp", when="+kokkos-kernels")
    depends_on("mpi@3.1:", when="+mpi")
    depends_on("cuda@12:", type="build", when="+cuda")
    depends_on("googletest@1.12: +gmock", type=("build", "test"), when="+tests")
    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"kokkos +cuda cuda_arch={arch}", when=f"+openmp +cuda cuda_arch={arch}")
        depends_on(f"nccl@2.20: cuda_arch={arch}", type="run", when=f"+nccl cuda_arch={arch}")
    requires("^kokkos +cuda_lambda", when="+openmp +cuda ^kokkos@:4")  # without a choice since Kokkos 5
    conflicts("cuda_arch=none", when="+cuda", msg="give the compute capability of the devices, e.g. cuda_arch=90")

    with when("+python"):
        extends("python")
        depends_on("python@3.11:", type=("build", "link", "run"))
        depends_on("py-numpy@1.25:", type=("build", "run"))
        depends_on("py-pip", type="build")
        depends_on("py-pybind11@3:", type="build")
        depends_on("py-scikit-build-core@0.11:", type="build")
    with when("+tests"):
        depends_on("python@3.11:", type=("build", "test"))
        depends_on("py-numpy@1.25:", type=("build", "test"))
        depends_on("py-pytest", type=("build", "test"))
        depends_on("py-jsonschema", type=("build", "test"))

    conflicts("%gcc@:11", msg="C++20 is needed")
    conflicts("%clang@:15", msg="C++20 is needed")

    def cmake_args(self):
        args = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("EAGLE_HOST", "openmp"),
            self.define_from_variant("EAGLE_CUDA", "cuda"),
            self.define_from_variant("EAGLE_NCCL", "nccl"),
            self.define_from_variant("EAGLE_MPI", "mpi"),
            self.define_from_variant("EAGLE_BUILD_TESTS", "tests"),
            self.define("EAGLE_BUILD_PLUGINS", True),
            self.define("EAGLE_BUILD_EXAMPLES", False),
            self.define("EAGLE_BUILD_BENCH", False),
        ]
        if self.spec.satisfies("~kokkos-kernels"):
            args.append(self.define("CMAKE_DISABLE_FIND_PACKAGE_KokkosKernels", True))
        if self.spec.satisfies("+cuda+openmp"):
            args.append(self.define("CMAKE_CXX_COMPILER", self["kokkos"].kokkos_cxx))
        return args

    @run_after("install", when="+python")
    def install_python_package(self):
        """The extension is built by scikit-build-core, against what Spack has."""
        pip = which("python3", required=True)
        pip.add_default_arg("-m", "pip")
        define = [f"-Ccmake.args={each}" for each in self.std_python_args()]
        pip(
            "install",
            "--no-deps",
            "--no-build-isolation",
            "--no-index",
            f"--prefix={self.prefix}",
            *define,
            self.stage.source_path,
        )

    def std_python_args(self):
        return [self.define("EAGLE_PYTHON_MPI", self.spec.satisfies("+mpi")), self.define_from_variant("EAGLE_CUDA", "cuda")]

    def test_imports(self):
        """the Python package, where it was asked for"""
        if self.spec.satisfies("~python"):
            raise SkipTest("the Python package is not in this build")
        super().test_imports()

    def _command(self, *arguments):
        eagle = which(join_path(self.prefix.bin, "eagle"), required=True)
        return eagle(*arguments, output=str.split, error=str.split)

    def test_info(self):
        """what was built says so"""
        out = self._command("info")
        for variant, name in (
            ("openmp", "host_team"),
            ("cuda", "device_kernel"),
            ("mpi", "rank_partition"),
            ("nccl", "device_group"),
        ):
            built = f"{name:<14} {'built' if self.spec.satisfies('+' + variant) else 'not built'}"
            if built not in out:
                raise RuntimeError(f"'{built}' is not in what eagle info says:\n{out}")

    def test_bundles(self):
        """the worked bundles are what eagle accepts"""
        bundles = join_path(self.prefix.lib, "eagle", "bundles")
        for name in ("axpy", "dot"):
            check_outputs(rf"{name}: ok", self._command("check", join_path(bundles, name)))

    def test_run(self):
        """a mapreduce of no planes gives the value that arithmetic gives"""
        if self.spec.satisfies("~openmp"):
            raise SkipTest("HostTeam is not in this build")
        bundle = join_path(self.prefix.lib, "eagle", "bundles", "sum_index")
        out = self._command("run", bundle, "--structure", "host_team", "--threads", "2", "--samples", "1000")
        check_outputs(r"total = 499500 \(int64\)", out)
