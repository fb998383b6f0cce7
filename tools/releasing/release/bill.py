"""Writes the bill of materials of a release, in SPDX 2.3, by PyPI's spdx-tools, which also check it.

    bill.py FOLDER VERSION COMMIT     FOLDER/chomp-VERSION.spdx.json: each artefact in the folder, and what stands beside it
"""

import datetime
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from license_expression import get_spdx_licensing
from spdx_tools.spdx.model import (Actor, ActorType, Checksum, ChecksumAlgorithm, CreationInfo, Document, Package, Relationship,
                                   RelationshipType, SpdxNoAssertion)
from spdx_tools.spdx.writer.write_anything import write_file

sys.path.append(str(Path(__file__).resolve().parent))
from provenance import artefacts, sha256  # noqa: E402

LICENCE = "Apache-2.0 WITH LLVM-exception"
# No part of the files: it builds them, or is opened where it is found. Name, relation, licence, how to ask for its version.
BESIDE = (
    ("clang", RelationshipType.BUILD_TOOL_OF, LICENCE, ("clang-19", "--version"), r"version ([\d.]+)"),
    ("cmake", RelationshipType.BUILD_TOOL_OF, "BSD-3-Clause", ("cmake", "--version"), r"version ([\d.]+)"),
    ("hwloc", RelationshipType.OPTIONAL_DEPENDENCY_OF, "BSD-3-Clause", ("pkg-config", "--modversion", "hwloc"), r"([\d.]+)"),
    ("glibc", RelationshipType.RUNTIME_DEPENDENCY_OF, "LGPL-2.1-or-later", ("getconf", "GNU_LIBC_VERSION"), r"([\d.]+)"),
)


def version_of(command, pattern):
    """A program's version, or None."""
    if shutil.which(command[0]) is None:
        return None
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(pattern, done.stdout)
    return found.group(1) if found else None


def package(name, identifier, licence=LICENCE, **more):
    return Package(f"SPDXRef-{identifier}", name, SpdxNoAssertion(), files_analyzed=False,
                   license_declared=get_spdx_licensing().parse(licence), license_concluded=SpdxNoAssertion(),
                   copyright_text=SpdxNoAssertion(), **more)


def bill(folder, version, commit):
    made = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())), datetime.timezone.utc)
    about = CreationInfo("SPDX-2.3", "SPDXRef-DOCUMENT", f"chomp-{version}", f"urn:chomp:{version}:{commit}",
                         [Actor(ActorType.ORGANIZATION, "chomp developers")], made.replace(tzinfo=None))
    source = package("chomp", "chomp", version=version, source_info=f"git commit {commit}")
    packages, relations = [source], [Relationship("SPDXRef-DOCUMENT", RelationshipType.DESCRIBES, source.spdx_id)]

    def add(one, relation):
        packages.append(one)
        relations.append(Relationship(one.spdx_id, relation, source.spdx_id))

    for number, file in enumerate(artefacts(folder)):
        add(package(file.name, f"artefact-{number}", version=version, file_name=file.name,
                    checksums=[Checksum(ChecksumAlgorithm.SHA256, sha256(file))]), RelationshipType.GENERATED_FROM)
    for name, relation, licence, command, pattern in BESIDE:
        add(package(name, name, licence, version=version_of(command, pattern)), relation)
    return Document(about, packages=packages, relationships=relations)


if __name__ == "__main__":
    write_file(bill(Path(sys.argv[1]), *sys.argv[2:4]), f"{sys.argv[1]}/chomp-{sys.argv[2]}.spdx.json", validate=True)
