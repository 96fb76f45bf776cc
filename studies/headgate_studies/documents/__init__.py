"""The statements of the reproduced documents, one file for each document."""

#: The files, in the order of the documentation's page.
DOCUMENTS = (
    "mills-2011", "mills-2011-findings", "tcp-reloaded-5", "gong-yeh-2015", "low-2005", "xia-2005",
)  # fmt: skip
#: Studies that reproduce none of these documents, with their subject.
OTHER_STUDIES = {
    "buffer-sizing": "Appenzeller, Keslassy, McKeown 2004",
    "cubic-rfc9438": "RFC 9438, and issues 89, 92, 93 and 96 of NTAP/rfc8312bis",
    "fluid-check": "ours: packets against fluid",
    "l4s-tests": "Heist, Morton 2020: heistp/l4s-tests",
    "mix": "Ware et al. 2019, Mishra et al. 2022, Srivastava et al. 2023, Sarpkaya et al. 2025",
    "new-controllers": "sources of Copa, PCC Vivace, LEDBAT++ and GCC",
    "nist-duration": "ours: the results of the published duration that a shortened run preserves",
    "nist-scale": "ours: the results of a large network that a small one preserves",
    "scream-tests": "Ericsson Research 2024: EricssonResearch/scream, test-record.md",
    "starvation": "Arun, Alizadeh, Balakrishnan 2022",
}
