# A recipe for Spack. From a checkout: put this folder as packages/chomp into a repository of recipes, then
# `spack dev-build chomp@0.1.0 %clang` in the root of the sources.
from spack.package import *


class Chomp(CMakePackage):
    """An OpenMP runtime with a hierarchical task scheduler, in place of libomp, libiomp5 and libgomp."""

    license("Apache-2.0")
    version("0.1.0")

    variant("programs", default=False, description="Build the benchmark programs (bots, uts)")
    variant("static_library", default=True, description="Also libomp.a, for programs that are linked statically")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("python", type="build")  # makes manual pages
    depends_on("hwloc", type=("build", "run"))  # its header; opened at run time, for made-up machines

    generator("ninja")
    requires("%clang@16:", msg="chomp is built by Clang 16 or later, with lld")
    conflicts("platform=darwin")
    conflicts("platform=windows")

    build_targets = ["everything"]

    def cmake_args(self):
        return [
            self.define_from_variant("CHOMP_PROGRAMS", "programs"),
            self.define_from_variant("CHOMP_STATIC", "static_library"),
            self.define("CHOMP_TESTS", False),
        ]

    def setup_run_environment(self, env):
        # Not LD_LIBRARY_PATH: programs use it when they are told to, by `chomp run`.
        env.append_path("PKG_CONFIG_PATH", self.prefix.lib.pkgconfig)
