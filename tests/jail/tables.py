"""tables.py take|probe|gauge TABLE, watch: the tables that the kernel has for the whole machine, or for one user of it.

take: in a jail, all that can be had of it, by as many processes as it takes; says "holding N" and holds it until its
standard input ends. probe: outside, whether the amount below can be had; exit code 1 when not. gauge: what the machine
counts as taken. watch: in a jail, that a change is told."""
import ctypes
import fcntl
import os
import resource
import select
import socket
import struct
import sys

libc = ctypes.CDLL(None, use_errno=True)
SHARES = 16  # processes that take at once
kept = []


def call(number, *arguments):
    result = libc.syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


# Each takes one more of its table, or fails with OSError; `i` counts from 0.
def aio(i):
    context = ctypes.c_ulong(0)
    call(206, ctypes.c_uint(1024), ctypes.byref(context))  # io_setup


def inotify_instance(i):
    kept.append(checked(libc.inotify_init1(os.O_CLOEXEC)))


folders = 500


def inotify_watch(i):
    if i == 0:
        os.makedirs(f"{place()}/{os.getpid()}", exist_ok=True)
    if i % folders == 0:
        inotify_instance(i)
    path = f"{place()}/{os.getpid()}/{i % folders}"
    os.makedirs(path, exist_ok=True)
    checked(libc.inotify_add_watch(kept[-1], path.encode(), 2))


is_jailed = os.environ.get("HOME") == "/work"


def place():
    return "/work" if is_jailed else os.environ["FILTERD_TABLES"]


def user_namespace(i):
    pid = os.fork()
    if pid == 0:
        os._exit(0 if libc.unshare(0x10000000) == 0 else 1)
    if os.waitpid(pid, 0)[1] != 0:
        raise OSError("no user namespace")


def huge_page(i):
    size, anonymous, huge = 2 << 20, 0x22, 0x40000
    libc.mmap.restype = ctypes.c_void_p
    at = libc.mmap(None, ctypes.c_size_t(size), 3, anonymous | huge, -1, ctypes.c_long(0))
    if at == ctypes.c_void_p(-1).value:
        fd = checked(libc.memfd_create(b"x", 4))  # MFD_HUGETLB
        os.ftruncate(fd, size)
        at = libc.mmap(None, ctypes.c_size_t(size), 3, 1, fd, ctypes.c_long(0))
    ctypes.memset(at, 1, size)


def terminal(i):
    kept.append(os.openpty())


def open_file(i):
    kept.append(open("/dev/null", "rb"))


def in_flight(i):
    if i % 64 == 0:
        kept.append(socket.socketpair())
        kept[-1][0].setblocking(False)
    socket.send_fds(kept[-1][0], [b"x"], [0])


def pipe(i):
    ends = os.pipe()
    kept.append(ends)
    if is_jailed:
        fcntl.fcntl(ends[0], 1031, 1 << 20)  # F_SETPIPE_SZ
    elif fcntl.fcntl(ends[0], 1032) < 65536:
        raise OSError("a pipe without its room")


def epoll_watch(i):
    if i == 0:
        kept.append([os.eventfd(0) for _ in range(200)])
    if i % 200 == 0:
        kept.append(select.epoll())
    kept[-1].register(kept[0][i % 200], select.EPOLLIN)


def timer(i):
    made = ctypes.c_void_p()
    call(222, 1, None, ctypes.byref(made))  # timer_create


def message_queue(i):
    class Attributes(ctypes.Structure):
        _fields_ = [("flags", ctypes.c_long), ("max", ctypes.c_long), ("size", ctypes.c_long), ("n", ctypes.c_long), ("rest", ctypes.c_long * 4)]
    call(240, f"filterd-{os.getpid()}-{i}".encode(), os.O_CREAT | os.O_RDWR, 0o600, ctypes.byref(Attributes(0, 10, 2048, 0)))
    if not is_jailed:
        call(241, f"filterd-{os.getpid()}-{i}".encode())  # as long as it is open, it is there


def locked_segment(i):
    segment = checked(libc.shmget(0, ctypes.c_size_t(16384), 0o1600))
    try:
        checked(libc.shmctl(segment, 11, None))  # SHM_LOCK
    finally:
        if not is_jailed:
            kept.append(libc.shmat(segment, None, 0))
            libc.shmctl(segment, 0, None)


def key(i):
    call(248, b"user", f"filterd-{os.getpid()}-{i}".encode(), b"x", ctypes.c_size_t(1), ctypes.c_int(-2))  # add_key, @p


def process(i):
    pid = os.fork()
    if pid == 0:
        select.select([0], [], [])
        os._exit(0)
    kept.append(pid)


def udp(i):
    if i % 64 == 0:
        kept.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        kept[-1].bind(("127.0.0.1", 0))
        kept[-1].setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 30)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(bytes(60000), kept[-1].getsockname())


def tcp(i):
    if i == 0:
        kept.append(socket.create_server(("127.0.0.1", 0), backlog=4096))
        for option in socket.SO_RCVBUF, socket.SO_RCVLOWAT:  # connections that are not accepted have them, too
            kept[0].setsockopt(socket.SOL_SOCKET, option, 1 << 22)
    s = socket.create_connection(kept[0].getsockname(), timeout=0.5)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
    s.setblocking(False)
    kept.append(s)
    try:
        for _ in range(64):
            s.send(bytes(65536))
    except BlockingIOError:
        pass


def number(path, field):
    with open(path, encoding="ascii") as f:
        return int(f.read().split()[field])


def word_after(path, *words):
    with open(path, encoding="ascii") as f:
        text = f.read()
    for word in words:
        text = text[text.index(word) + len(word):]
    return int(text.split()[0])


# What takes one; how many a user outside is to have; what the machine counts.
tables = {
    "aio": (aio, 8, lambda: number("/proc/sys/fs/aio-nr", 0)),
    "inotify-instances": (inotify_instance, 64, None),
    "inotify-watches": (inotify_watch, 10000, None),
    "user-namespaces": (user_namespace, 4, None),
    "huge-pages": (huge_page, 8, lambda: -word_after("/proc/meminfo", "HugePages_Free:")),
    "terminals": (terminal, 64, lambda: number("/proc/sys/kernel/pty/nr", 0)),
    "open-files": (open_file, 900, lambda: number("/proc/sys/fs/file-nr", 0)),
    "descriptors-in-flight": (in_flight, 128, None),
    "pipe-pages": (pipe, 100, None),
    "epoll-watches": (epoll_watch, 10000, None),
    "timers": (timer, 5000, None),
    "message-queues": (message_queue, 8, None),
    "locked-segments": (locked_segment, 32, None),
    "keys": (key, 50, None),
    "processes": (process, 100, None),
    "udp-memory": (udp, 64, lambda: word_after("/proc/net/sockstat", "UDP:", "mem ")),
    "tcp-memory": (tcp, 8, lambda: word_after("/proc/net/sockstat", "TCP:", "mem ")),
}


MOST = {udp: 5000, tcp: 2000}


def take_all(one, most):
    try:
        for i in range(most):
            one(i)
    except (OSError, MemoryError):
        return i
    return most


def take(one):
    most = MOST.get(one, 100000)
    inherited = os.pipe()
    started = 0
    for _ in range(1 if one is process else SHARES):
        try:
            pid = os.fork()
        except OSError:
            break
        started += 1
        if pid == 0:
            taken = take_all(one, most)
            os.write(inherited[1], struct.pack("i", taken))
            select.select([0], [], [])
            os._exit(0)
    os.close(inherited[1])
    holding = 0
    for _ in range(started):
        holding += struct.unpack("i", os.read(inherited[0], 4) or bytes(4))[0]
    print("holding", holding, flush=True)
    sys.stdin.read()


def watch():
    inotify_watch(0)
    open(f"{place()}/{os.getpid()}/0/new", "w", encoding="ascii").close()
    modified, created = 2, 0x100
    checked(libc.inotify_add_watch(kept[-1], f"{place()}/{os.getpid()}/0".encode(), modified | created))
    open(f"{place()}/{os.getpid()}/0/newer", "w", encoding="ascii").close()
    sys.exit(0 if b"newer" in os.read(kept[-1], 4096) else 1)


def main():
    if sys.argv[1] == "watch":
        watch()
    what, name = sys.argv[1:3]
    one, wanted, counted = tables[name]
    if what == "take":
        take(one)
    elif what == "gauge":
        print(counted() if counted else 0)
    else:
        resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))
        had = take_all(one, wanted)
        print(f"{name}: {had} of {wanted}")
        sys.stdout.flush()
        for pid in [k for k in kept if one is process]:
            os.kill(pid, 9)
        os._exit(0 if had == wanted else 1)


main()
