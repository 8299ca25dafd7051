"""Numbers, texts and words that have broken programs before."""

from __future__ import annotations

__all__ = ["BYTES", "NUMBERS", "REGEX_PARTS", "TEXTS", "TOKENS"]

NUMBERS = (
    *(0, 1, 2, 3, 7, 99, 127, 128, 255, 256, 65535, 65536, 10**6),
    *(2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**62, 2**63 - 1, 2**63, 2**64 - 1),
    *(-1 & 2**64 - 1, -2 & 2**64 - 1, -(2**31) & 2**64 - 1, -(2**62) & 2**64 - 1),
)

TEXTS = (
    *("", "/", "//", "a/", "/a", ":", "a:1", "a:99999999999999999999", "^", "^a", "a:b:c"),
    *("_TFProfRoot", "_TFProfRoot/x", "_kTFScopeParent", "_SOURCE", "RecvTensor", "MEMCPYHtoD"),
    *("a\0b", "\0", "\x1b[2J", "\x1b]0;title\x07", "a\nb", "a\rb", "\t", " ", "\x7f", "\x9b31m"),
    *("é", "日本語", "😀", "\u202e", "\ufeff", "\ufffd", "\ud7ff", "\U0010ffff", "e\u0301" * 3),
    *("a" * 300, "a/" * 120, "gradients/a_grad/b", "gradients/_grad/", "_grad/gradients/"),
    *("_arg_a_0_0", "_arg_a_99999999999999999999_0", "_arg_a_2147483647_0", "_retval_a_0_0"),
    *("shape", "_output_shapes", "value", "dtype", "T", "strides", "data_format", "ksize"),
    *("MatMul", "Conv2D", "VariableV2", "Const", "Placeholder", "BatchMatMulV2", "AddN", "While"),
    *("/device:GPU:0/stream:all", "/cpu:0", "/job:a/device:CPU:0", "cpu:99999999999999999999"),
    *("%s%n%x", "{0}", "$(id)", "`id`", "'", '"', "\\", "\\0", ",", "=", "-", "--", "*", "(", "["),
)

BYTES = (
    *(text.encode(errors="surrogatepass") for text in TEXTS),
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
)

REGEX_PARTS = (
    *(".*", ".+", "(", ")", "(?:", "(?=", "(?<", "(?P<a>", "[", "]", "[^", "[a-z]", "[z-a]", "|"),
    *(
        "*",
        "+",
        "?",
        "{0}",
        "{1000}",
        "{1001}",
        "{99999999999}",
        "{2,1}",
        "{,}",
        "\\",
        "\\Q",
        "\\E",
    ),
    *("\\pN", "\\p{Greek}", "\\p{No}", "\\x{10FFFF}", "\\x{110000}", "\\1", "\\C", "\\b", "^", "$"),
    *(
        "(?i)",
        "(?s)",
        "(?-",
        "(?z)",
        "[[:alpha:]]",
        "[[:no:]]",
        "a",
        "/",
        "\0",
        "é",
        "\ud800",
        "\n",
    ),
)

TOKENS = (
    *TEXTS,
    *REGEX_PARTS,
    *("true", "false", "1", "0", "-1", "1e9", "0x10", "1_000", "٣", "nan", "9" * 30, "9" * 5000),
    *("node", "{", "}", "name", "op", "input", "attr", "key", "value", "list", "dim", "size", "i:"),
)
