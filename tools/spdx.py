"""What a wheel carries, and under which licences, as an SPDX 2.3 document: PEP 770 has such a list in a wheel.

The licence of each Debian package is named here once, as its main one in SPDX's words; its whole text goes along (bundled.py).
"""

import hashlib
import json

GCC = "GPL-3.0-or-later WITH GCC-exception-3.1"
LICENCES = {
    "libabsl20220623": "Apache-2.0",
    "libboost-dev": "BSL-1.0",
    "libc-ares2": "MIT",
    "libc6": "LGPL-2.1-or-later",
    "libcli11-dev": "BSD-3-Clause",
    "libdate-tz3": "MIT",
    "libdmlc0": "Apache-2.0",
    "libeigen3-dev": "MPL-2.0",
    "libexpected-dev": "CC0-1.0",
    "libfmt-dev": "MIT",
    "libfmt9": "MIT",
    "libgcc-s1": GCC,
    "libgomp1": GCC,
    "libgrpc++-dev": "Apache-2.0",
    "libgrpc++1.51": "Apache-2.0",
    "libgrpc29": "Apache-2.0",
    "libhowardhinnant-date-dev": "MIT",
    "libjpeg62-turbo": "IJG AND BSD-3-Clause AND Zlib",
    "libjpeg62-turbo-dev": "IJG AND BSD-3-Clause AND Zlib",
    "libnghttp2-14": "MIT",
    "libnghttp2-dev": "MIT",
    "libnlopt-dev": "LGPL-2.1-or-later",
    "libnlopt0": "LGPL-2.1-or-later",
    "libonnx-dev": "Apache-2.0",
    "libonnx1": "Apache-2.0",
    "libprotobuf-dev": "BSD-3-Clause",
    "libprotobuf32": "BSD-3-Clause",
    "libre2-9": "BSD-3-Clause",
    "libsqlite3-0": "blessing",
    "libsqlite3-dev": "blessing",
    "libssl-dev": "Apache-2.0",
    "libssl3": "Apache-2.0",
    "libstb-dev": "MIT",
    "libstdc++6": GCC,
    "libtomlplusplus-dev": "MIT",
    "libxgboost-dev": "Apache-2.0",
    "libxgboost0": "Apache-2.0",
    "nlohmann-json3-dev": "MIT",
    "zlib1g": "Zlib",
    "zlib1g-dev": "Zlib",
}
OWN = "Apache-2.0"
PAGE = "BSD-3-Clause"  # Vega's, in the report


def licence_of(package):
    if package not in LICENCES:
        raise SystemExit(f"{package} is carried along and tools/spdx.py does not name its licence: see /usr/share/doc/{package}")
    return LICENCES[package]


def expression(packages):
    """Of everything in the wheel, as METADATA has it: all of these hold."""
    parts = {part for package in packages for part in licence_of(package).split(" AND ")} | {OWN, PAGE}
    return " AND ".join([OWN, *sorted(parts - {OWN})])


def versions_of(target, packages):
    """{package: (its version, the source package)}"""
    lines = target.ask_dpkg("--show", "--showformat", "${Package}\t${Version}\t${source:Package}\n", *packages)
    return {name: (version, source) for name, version, source in (line.split("\t") for line in lines.splitlines())}


def described(name, version, licence, about, **more):
    return {"name": name, "SPDXID": "SPDXRef-" + name.replace("+", ".plus"), "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": licence, "copyrightText": "NOASSERTION",
            "sourceInfo": about, **more}


def document(target, packages):
    """The document as text, the same for the same build."""
    known = versions_of(target, sorted(packages))
    own = described("nephoscope", target.version, OWN, "this project")
    others = [described(name, *known[name][:1], licence_of(name), f"Debian package, of the source package {known[name][1]}",
                        externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                       "referenceLocator": f"pkg:deb/debian/{name.replace('+', '%2B')}@{known[name][0]}"
                                                           f"?arch={target.debian_architecture}"}])
              for name in sorted(packages)]
    others.append(described("vega", "", PAGE, "Vega, Vega-Lite and Vega-Embed, in the report's page, from vl-convert-python"))
    del others[-1]["versionInfo"]
    relation = [{"spdxElementId": own["SPDXID"], "relationshipType": "CONTAINS", "relatedSpdxElement": each["SPDXID"]} for each in others]
    content = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"nephoscope-{target.version}",
        "creationInfo": {"created": "1980-01-01T00:00:00Z", "creators": ["Tool: tools/wheel"]},
        "packages": [own, *others],
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": own["SPDXID"]},
                          *relation],
    }
    name = hashlib.sha256(json.dumps(content).encode()).hexdigest()
    return json.dumps(content | {"documentNamespace": f"urn:nephoscope:{target.version}:{name}"}, indent=1) + "\n"
