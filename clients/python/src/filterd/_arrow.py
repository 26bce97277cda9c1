"""The Arrow C data interface through ctypes: arrays taken from their owners, made of strings, given on, and read.

https://arrow.apache.org/docs/format/CDataInterface.html and CDataInterface/PyCapsuleInterface.html
"""

import ctypes as c


class Schema(c.Structure):
    pass


class Array(c.Structure):
    pass


class Stream(c.Structure):
    pass


_release_schema = c.CFUNCTYPE(None, c.POINTER(Schema))
_release_array = c.CFUNCTYPE(None, c.POINTER(Array))
_release_stream = c.CFUNCTYPE(None, c.POINTER(Stream))

Schema._fields_ = [("format", c.c_char_p), ("name", c.c_char_p), ("metadata", c.c_void_p), ("flags", c.c_int64),
                   ("n_children", c.c_int64), ("children", c.POINTER(c.POINTER(Schema))), ("dictionary", c.POINTER(Schema)),
                   ("release", _release_schema), ("private_data", c.c_void_p)]
Array._fields_ = [("length", c.c_int64), ("null_count", c.c_int64), ("offset", c.c_int64), ("n_buffers", c.c_int64),
                  ("n_children", c.c_int64), ("buffers", c.POINTER(c.c_void_p)), ("children", c.POINTER(c.POINTER(Array))),
                  ("dictionary", c.POINTER(Array)), ("release", _release_array), ("private_data", c.c_void_p)]
Stream._fields_ = [("get_schema", c.CFUNCTYPE(c.c_int, c.POINTER(Stream), c.POINTER(Schema))),
                   ("get_next", c.CFUNCTYPE(c.c_int, c.POINTER(Stream), c.POINTER(Array))),
                   ("get_last_error", c.CFUNCTYPE(c.c_char_p, c.POINTER(Stream))), ("release", _release_stream),
                   ("private_data", c.c_void_p)]

_get_pointer = c.pythonapi.PyCapsule_GetPointer
_get_pointer.restype, _get_pointer.argtypes = c.c_void_p, [c.py_object, c.c_char_p]
_destructor = c.CFUNCTYPE(None, c.c_void_p)
_new_capsule = c.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = c.py_object, [c.c_void_p, c.c_char_p, _destructor]
# For destructors, which get a capsule whose last reference is gone.
_get_pointer_of = c.PYFUNCTYPE(c.c_void_p, c.c_void_p, c.c_char_p)(("PyCapsule_GetPointer", c.pythonapi))


def release(struct):
    if struct.release:
        struct.release(c.byref(struct))


def array_of_capsules(schema_capsule, array_capsule):
    """Pointers into the capsules, which must outlive their use."""
    return _get_pointer(schema_capsule, b"arrow_schema"), _get_pointer(array_capsule, b"arrow_array")


def chunks_of_stream(capsule):
    """(Schema, Array) of each chunk; the array is the caller's, the schema the stream's."""
    stream = Stream.from_address(_get_pointer(capsule, b"arrow_array_stream"))
    schema = Schema()
    _check(stream, stream.get_schema(c.byref(stream), c.byref(schema)))
    try:
        while True:
            array = Array()
            _check(stream, stream.get_next(c.byref(stream), c.byref(array)))
            if not array.release:
                return
            yield schema, array
    finally:
        release(schema)
        release(stream)


def _check(stream, code):
    if code != 0:
        text = stream.get_last_error(c.byref(stream))
        raise ValueError("the stream of Arrow arrays failed: " + (text.decode("utf-8", "replace") if text else str(code)))


# What is borrowed by structs that were given away, until they are released: by address.
_kept = {}


def _forget(kind, callback):
    def run(pointer):
        _kept.pop(pointer.contents.private_data, None)
        pointer.contents.release = callback()

    return kind(run)


_forget_array = _forget(_release_array, _release_array)
_forget_schema = _forget(_release_schema, _release_schema)


def array_of_strings(texts):
    """(Schema, Array) of utf8 or, when they are long, large_utf8; None is null."""
    if isinstance(texts, str):
        raise TypeError("a list of texts expected, this is one text: judge takes it")
    encoded = []
    for i, text in enumerate(texts):
        if text is not None and not isinstance(text, str):
            raise TypeError(f"row {i}: str or None expected, it is {type(text).__name__}")
        encoded.append(None if text is None else text.encode("utf-8", "surrogatepass"))
    total = sum(len(t) for t in encoded if t is not None)
    offset = c.c_int32 if total < 2**31 else c.c_int64
    offsets = (offset * (len(encoded) + 1))()
    valid = (c.c_uint8 * ((len(encoded) + 7) // 8 + 1))()
    at = nulls = 0
    for i, text in enumerate(encoded):
        if text is None:
            nulls += 1
        else:
            at += len(text)
            valid[i // 8] |= 1 << (i % 8)
        offsets[i + 1] = at
    data = c.create_string_buffer(b"".join(t for t in encoded if t is not None), total + 1)
    buffers = (c.c_void_p * 3)(c.addressof(valid), c.addressof(offsets), c.addressof(data))
    array = Array(length=len(encoded), null_count=nulls, n_buffers=3, buffers=buffers, release=_forget_array,
                  private_data=c.addressof(buffers))
    schema = Schema(format=b"u" if offset is c.c_int32 else b"U", name=b"", flags=2, release=_release_schema(lambda p: None))
    _kept[c.addressof(buffers)] = (valid, offsets, data, buffers)
    return schema, array


def _capsule_destructor(name, kind):
    def run(capsule):
        address = _get_pointer_of(capsule, name)
        struct = _given.pop(address)
        release(struct)

    return _destructor(run)


_given = {}
_destroy_schema = _capsule_destructor(b"arrow_schema", Schema)
_destroy_array = _capsule_destructor(b"arrow_array", Array)


def capsules_of(schema, array):
    """Capsules that own the structs."""
    pair = []
    for struct, name, destructor in ((schema, b"arrow_schema", _destroy_schema), (array, b"arrow_array", _destroy_array)):
        _given[c.addressof(struct)] = struct
        pair.append(_new_capsule(c.addressof(struct), name, destructor))
    return tuple(pair)


_VALUES = {b"c": c.c_int8, b"s": c.c_int16, b"i": c.c_int32, b"l": c.c_int64, b"f": c.c_float}


def column(schema, array, name):
    """(Schema, Array) of a struct's member; None: it has no such member."""
    for i in range(schema.n_children):
        if schema.children[i].contents.name == name:
            return schema.children[i].contents, array.children[i].contents
    return None


def numbers(schema, array):
    """The values of a column of numbers, or of numbers of a dictionary, as a ctypes array; nulls are anything."""
    kind = _VALUES[schema.format]
    return (kind * array.length).from_address(array.buffers[1]) if array.length else (kind * 0)()


def _strings(schema, array):
    offsets = ((c.c_int32 if schema.format == b"u" else c.c_int64) * (array.length + 1)).from_address(array.buffers[1])
    data = array.buffers[2]
    return [c.string_at(data + offsets[i], offsets[i + 1] - offsets[i]).decode("utf-8", "surrogatepass") if data else ""
            for i in range(array.length)]


def _is_valid(array):
    """For each row, the array's offset counted in; None: no row is null."""
    bitmap = array.buffers[0]
    if not bitmap or array.null_count == 0:
        return None
    first, end = array.offset, array.offset + array.length
    bits = (c.c_uint8 * ((end + 7) // 8)).from_address(bitmap)
    return [bits[i // 8] >> (i % 8) & 1 for i in range(first, end)]


_OFFSETS = {b"u": c.c_int32, b"U": c.c_int64}


def text_bytes(schema, array):
    """How long the texts of an array are together, in bytes; 0: it is no array of texts. Pointers to both."""
    schema, array = Schema.from_address(schema), Array.from_address(array)
    if schema.format not in (b"u", b"U", b"vu") or schema.dictionary or array.length <= 0 or array.n_buffers < 3 or not array.buffers[1]:
        return 0
    valid = _is_valid(array)
    if schema.format == b"vu":
        views = (c.c_int32 * (4 * (array.offset + array.length))).from_address(array.buffers[1])
        lengths = views[4 * array.offset::4]
    else:
        offsets = (_OFFSETS[schema.format] * (array.offset + array.length + 1)).from_address(array.buffers[1])
        if valid is None:
            return offsets[array.offset + array.length] - offsets[array.offset]
        ends = offsets[array.offset:]
        lengths = map(int.__sub__, ends[1:], ends)
    return sum(lengths) if valid is None else sum(length for length, is_there in zip(lengths, valid) if is_there)


def first_string(schema, array):
    """(row, text) of the first that is not null."""
    return next((i, text) for i, text in enumerate(_valid(array, _strings(schema, array))) if text is not None)


def _valid(array, values):
    bitmap = array.buffers[0]
    if not bitmap:
        return values
    bits = (c.c_uint8 * ((array.length + 7) // 8)).from_address(bitmap)
    return [v if bits[i // 8] >> (i % 8) & 1 else None for i, v in enumerate(values)]


def to_list(schema, array):
    """The values as Python's; arrays of filterd's result alone, which have no offset."""
    if schema.dictionary:
        words = to_list(schema.dictionary.contents, array.dictionary.contents)
        codes = list(numbers(schema, array))
        return [None if code is None else words[code] for code in _valid(array, codes)]
    if schema.format in (b"u", b"U"):
        return _valid(array, _strings(schema, array))
    if schema.format == b"+l":
        items = to_list(schema.children[0].contents, array.children[0].contents)
        offsets = (c.c_int32 * (array.length + 1)).from_address(array.buffers[1])
        return _valid(array, [items[offsets[i]:offsets[i + 1]] for i in range(array.length)])
    if schema.format == b"+s":
        names = [schema.children[i].contents.name.decode() for i in range(schema.n_children)]
        columns = [to_list(schema.children[i].contents, array.children[i].contents) for i in range(schema.n_children)]
        return _valid(array, [dict(zip(names, row)) for row in zip(*columns)])
    return _valid(array, list(numbers(schema, array)))
