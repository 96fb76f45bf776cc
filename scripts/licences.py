"""List the licences of the Python packages that Headgate needs, and refuse those not allowed.

What a user installs has a permissive licence; tools that only develop, test or document it may have
one that binds changes of their own files.
"""

import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement

PERMISSIVE = {
    "0BSD",
    "Apache Software License",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD",
    "BSD License",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC License (ISCL)",
    "MIT",
    "MIT License",
    "MIT-CMU",
    "PSF-2.0",
    "Python Software Foundation License",
    "Zlib",
}
#: Of tools also these; a package of several classifiers is under the one that suits.
OF_TOOLS = PERMISSIVE | {"MPL-2.0", "Mozilla Public License 2.0 (MPL 2.0)"}

#: Extras that users install, and those of developers.
USERS, DEVELOPERS = ("analysis", "report", "cluster", "jit"), ("test", "lint", "docs")


def licence(package: Distribution) -> list[list[str]]:
    """Give the licences of a package: one of each of these must be allowed."""
    about = package.metadata
    if expression := about.get("License-Expression"):
        parts = expression.replace("(", "").replace(")", "").split(" AND ")
        return [part.split(" OR ") for part in parts]
    prefix = "License :: "
    classifiers = [line for line in about.get_all("Classifier") or [] if line.startswith(prefix)]
    if classifiers:
        return [[line.split(" :: ")[-1] for line in classifiers]]
    words = (about.get("License") or "unknown").strip().splitlines()[0]
    return [[re.sub(r"^BSD 3-Clause$", "BSD-3-Clause", words)]]


def needed(name: str, extras: tuple[str, ...], found: dict[str, Distribution]) -> None:
    """Collect a package and all that it needs on this machine."""
    try:
        package = distribution(name)
    except PackageNotFoundError:
        return  # of an extra that is not installed, or of another system
    if name in found and not extras:
        return
    found[name] = package
    for line in package.requires or []:
        wanted = Requirement(line)
        if wanted.marker is None or any(
            wanted.marker.evaluate({"extra": extra}) for extra in ("", *extras)
        ):
            key = re.sub(r"[-_.]+", "-", wanted.name).lower()
            if key not in found:
                needed(key, tuple(wanted.extras), found)


def refused(found: dict[str, Distribution], allowed: set[str]) -> list[str]:
    """Name the packages one of whose licences is not allowed."""
    return [
        f"{name}: {' AND '.join(' OR '.join(choice) for choice in licence(package))}"
        for name, package in found.items()
        if not all(allowed & set(choice) for choice in licence(package))
    ]


def main() -> int:
    """Print the list; fail if there is a licence that is not allowed, or that nobody knows."""
    users: dict[str, Distribution] = {}
    needed("headgate", USERS, users)
    everything = dict(users)
    everything.pop("headgate")
    needed("headgate", (*USERS, *DEVELOPERS), everything)
    for name, package in sorted(everything.items()):
        whose = "users" if name in users else "developers"
        words = " AND ".join(" OR ".join(choice) for choice in licence(package))
        sys.stdout.write(f"{name} {package.version}\t{whose}\t{words}\n")
    tools = {name: package for name, package in everything.items() if name not in users}
    wrong = refused(users, PERMISSIVE) + refused(tools, OF_TOOLS)
    for line in wrong:
        sys.stderr.write(f"not allowed: {line}\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
