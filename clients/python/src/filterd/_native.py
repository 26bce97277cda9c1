"""libfilterd.so.1 and what filterd.h says of it, for ctypes."""

import ctypes as c
import os
import pathlib

NO_TEXT = 1
NO_RULE = 0xFFFFFFFF
ERROR_MAX = 512
ABI = 1


class Options(c.Structure):
    _fields_ = [("size", c.c_uint32), ("flags", c.c_uint32), ("rules", c.c_char_p), ("policy", c.c_char_p),
                ("policy_text", c.c_char_p), ("policy_name", c.c_char_p), ("cache", c.c_char_p), ("tenant", c.c_char_p),
                ("app", c.c_char_p), ("agent", c.c_char_p), ("hash_key", c.c_char_p), ("encrypt_key", c.c_char_p)]


class Finding(c.Structure):
    _fields_ = [("rule", c.c_uint32), ("start", c.c_uint32), ("end", c.c_uint32), ("confidence", c.c_float),
                ("action", c.c_uint8), ("category", c.c_uint8), ("severity", c.c_uint8), ("is_shadow", c.c_uint8),
                ("view", c.c_char_p)]


class Verdict(c.Structure):
    _fields_ = [("size", c.c_uint32), ("action", c.c_uint8), ("is_unjudged", c.c_uint8), ("finding_size", c.c_uint16),
                ("rule", c.c_uint32), ("text", c.c_void_p), ("text_length", c.c_size_t), ("notice", c.c_void_p),
                ("notice_length", c.c_size_t), ("findings", c.c_void_p), ("n_findings", c.c_size_t), ("error", c.c_char_p)]


def _path():
    """The library of the wheel; FILTERD_LIBRARY names another; else the system's."""
    named = os.environ.get("FILTERD_LIBRARY")
    shipped = pathlib.Path(__file__).parent / "_native" / "libfilterd.so.1"
    return named or (str(shipped) if shipped.exists() else "libfilterd.so.1")


def _load():
    lib = c.CDLL(_path())
    for name, result, arguments in [
        ("filterd_open", c.c_void_p, [c.POINTER(Options), c.c_char_p, c.c_size_t]),
        ("filterd_close", None, [c.c_void_p]),
        ("filterd_digest", c.c_char_p, [c.c_void_p]),
        ("filterd_version", c.c_char_p, []),
        ("filterd_abi", c.c_uint32, []),
        ("filterd_worker_new", c.c_void_p, [c.c_void_p]),
        ("filterd_worker_free", None, [c.c_void_p]),
        ("filterd_judge", c.c_int, [c.c_void_p, c.c_char_p, c.c_size_t, c.c_uint32, c.POINTER(Verdict)]),
        ("filterd_rule_name", c.c_char_p, [c.c_void_p, c.c_uint32]),
        ("filterd_rule_count", c.c_uint32, [c.c_void_p]),
        ("filterd_action_name", c.c_char_p, [c.c_uint8]),
        ("filterd_category_name", c.c_char_p, [c.c_uint8]),
        ("filterd_severity_name", c.c_char_p, [c.c_uint8]),
        ("filterd_judge_arrow", c.c_int, [c.c_void_p, c.c_void_p, c.c_void_p, c.c_uint, c.c_uint32, c.c_void_p, c.c_void_p,
                                          c.c_char_p, c.c_size_t]),
    ]:
        function = getattr(lib, name)
        function.restype = result
        function.argtypes = arguments
    if lib.filterd_abi() != ABI:
        raise ImportError(f"libfilterd of ABI {ABI} expected, {_path()} has {lib.filterd_abi()}")
    return lib


lib = _load()
