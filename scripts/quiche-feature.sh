#!/bin/sh
# Print `quiche` if this machine can build that feature of quic-bench; else say in one sentence what is missing.
missing=
command -v cmake >/dev/null 2>&1 || missing=" cmake"
# bindgen looks for libclang in LIBCLANG_PATH and where the linker and LLVM's packages keep it.
ls "${LIBCLANG_PATH:-/nowhere}"/libclang*.so* /usr/lib/llvm-*/lib/libclang*.so* /usr/lib*/libclang*.so* \
    /usr/lib/*/libclang*.so* /usr/local/lib/libclang*.so* 2>/dev/null | grep -q . || missing="$missing libclang-dev"
if [ -z "$missing" ]; then
    echo quiche
else
    echo "headgate: quiche is left out, as it needs packages that are missing (on Debian and Ubuntu: apt-get install$missing)." >&2
fi
