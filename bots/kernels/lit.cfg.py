# `lit bots/kernels` runs every version of every program as a test, on small inputs unless --param size=medium|large says
# otherwise. The parameters are described in tools/laboratory/regress/regresslib/lit_format.py, the programs and their inputs in
# tools/lib/programs.py.
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
sys.path.append(os.path.join(root, "tools", "laboratory", "regress"))
from regresslib.lit_format import ProgramFormat

config.name = os.path.basename(here)
config.test_format = ProgramFormat("bots/kernels", lit_config)
config.test_source_root = here
config.test_exec_root = os.path.join(root, "build", "lit", config.name)
os.makedirs(config.test_exec_root, exist_ok=True)
