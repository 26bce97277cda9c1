"""start.py MODE …: what happens to a launcher from its first system call on. Prints what is wrong, ends with "N tried".

  points WHO ACTION STEP COMMAND…  again and again, one system call later each time, until WHO has no more of them: there WHO
      (launcher, watchdog, first: init, command) is killed (ACTION kill), or stands still while the launcher is
      told to end (ACTION stop). Nobody may be left, nor a group; who says that all went well has done it: COMMAND says "ran".
  pending COMMAND…  told to end before it was started: exits as it did.
  sizes COMMAND…    the size of its terminal becomes 44 times 111 at one moment or another; COMMAND fails unless it comes to see that.
"""
import ctypes, fcntl, os, pty, signal, struct, subprocess, sys, tempfile, termios, time

TRACEME, CONT, DETACH, SYSCALL, SETOPTIONS, GETEVENTMSG = 0, 7, 17, 24, 0x4200, 0x4201
FORKS, EXEC = (1, 2, 3), 4
OPTIONS = 1 | 2 | 4 | 8 | 0x10 | 0x100000  # calls marked, forks and exec told, ends with this process
ALL, SUBREAPER, TIMEOUT_S = 0x40000000, 36, 30
ABANDONED_S = 2  # as in jail/cgroup/cgroup.c
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def ptrace(what, pid, data=0):
    return libc.ptrace(what, pid, None, ctypes.c_void_p(data))


def own_signal(status):
    """What the process was to get; 0: it stands only to tell something."""
    sig = os.WSTOPSIG(status)
    return 0 if status >> 16 or sig in (signal.SIGTRAP, signal.SIGTRAP | 0x80, signal.SIGSTOP) else sig


class Run:
    """One run, whose processes are this process's children, sooner or later."""

    def __init__(self, who, output, command):
        self.who, self.ended, self.unknown = who, {}, set()
        self.launcher = os.fork()
        if self.launcher == 0:
            null = os.open('/dev/null', os.O_RDWR)
            for here, there in ((null, 0), (output, 1), (null, 2)):
                os.dup2(here, there)
            if ptrace(TRACEME, 0) != 0:
                os._exit(99)
            os.kill(os.getpid(), signal.SIGSTOP)
            os.execv(command[0], command)
        _, status = os.waitpid(self.launcher, 0)
        if not os.WIFSTOPPED(status):
            print('skip: no process may be traced here')
            sys.exit(3)
        ptrace(SETOPTIONS, self.launcher, OPTIONS)
        self.roles = {self.launcher: 'caller'}

    def wait(self, flags=0):
        """A process and its status; (0, 0): nobody has anything to tell; None: nobody is left."""
        try:
            pid, status = os.waitpid(-1, ALL | flags)
        except ChildProcessError:
            return None
        if pid and not os.WIFSTOPPED(status):
            self.ended[pid] = os.waitstatus_to_exitcode(status)
        return pid, status

    def is_followed(self, pid):
        role = self.roles[pid]
        return role == self.who or role in ('caller', 'launcher') and self.who not in self.roles.values() or \
            (role, self.who) == ('first', 'command')

    def go_on(self, pid, sig=0):
        how = DETACH if not self.is_followed(pid) else SYSCALL if self.roles[pid] == self.who else CONT
        ptrace(how, pid, sig)

    def take_fork(self, parent):
        child = ctypes.c_ulong()
        libc.ptrace(GETEVENTMSG, parent, None, ctypes.byref(child))
        mine = 'watchdog' if 'watchdog' not in self.roles.values() else 'first'
        self.roles[child.value] = mine if self.roles[parent] in ('launcher', 'caller') else 'command'
        if child.value in self.unknown:
            self.go_on(child.value)

    def take_stop(self, pid, status):
        """True: at a system call of WHO."""
        sig, event = os.WSTOPSIG(status), status >> 16
        if pid not in self.roles:
            self.unknown.add(pid)  # its parent's word comes next
            return False
        if event in FORKS:
            self.take_fork(pid)
        if event == EXEC and pid == self.launcher and open('/proc/%d/comm' % pid).read().strip() == 'filterd-jail':
            self.roles[pid] = 'launcher'
        if sig == signal.SIGTRAP | 0x80:
            return True
        self.go_on(pid, own_signal(status))
        return False

    def reach(self, n):
        """WHO stands at the beginning of its nth system call. None: it has no such."""
        stops = 0
        self.go_on(self.launcher)
        while self.launcher not in self.ended:
            pid, status = self.wait()
            if os.WIFSTOPPED(status):
                if self.take_stop(pid, status):
                    stops += 1
                    if stops == 2 * n - 1:  # each call stops it twice
                        return pid
                    self.go_on(pid)
            elif self.roles.get(pid) == self.who:
                return None
        return None

    def await_all(self, which=None):
        """Until nobody is left, or `which` has ended: True."""
        until = time.monotonic() + TIMEOUT_S
        while time.monotonic() < until:
            came = self.wait(os.WNOHANG)
            if came is None or which in self.ended:
                return True
            if came[0] and os.WIFSTOPPED(came[1]):
                ptrace(DETACH, came[0], own_signal(came[1]))
            elif not came[0]:
                time.sleep(0.001)
        return False


def tell(run, pid, action):
    if action == 'kill':
        os.kill(pid, signal.SIGKILL)
        return True
    os.kill(run.launcher, signal.SIGTERM)
    has_ended = run.await_all(run.launcher)
    ptrace(DETACH, pid)
    return has_ended


def groups_of(launchers):
    found = subprocess.run(['find', '/sys/fs/cgroup', '-maxdepth', '6', '-type', 'd', '-name', 'filterd-jail-*'],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.split()
    return [f for f in found if int(f.rsplit('filterd-jail-', 1)[1].split('-')[0]) in launchers]


def sweep(launchers, command):
    """A watchdog that was killed when its launcher had gone removed nothing: a run to come does, once they are old enough."""
    if groups_of(launchers):
        time.sleep(ABANDONED_S + 1)
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        until = time.monotonic() + TIMEOUT_S
        while groups_of(launchers) and time.monotonic() < until:
            time.sleep(0.01)


def points(who, action, step, *command):
    launchers, wrong, n = set(), [], 1
    libc.prctl(SUBREAPER, 1, 0, 0, 0)
    while True:
        with tempfile.TemporaryFile() as output:
            run = Run(who, output.fileno(), list(command))
            launchers.add(run.launcher)
            pid = run.reach(n)
            if pid is not None and not tell(run, pid, action):
                wrong.append('call %d: the launcher does not end' % n)
            if not run.await_all():
                print('%s at call %d: somebody is left' % (who, n))
                return 1
            output.seek(0)
            if run.ended[run.launcher] == 0 and output.read() != b'ran\n':
                wrong.append('call %d: a command that did not end is said to have' % n)
        if pid is None:
            break
        n += int(step)
    if who == 'watchdog':
        sweep(launchers, command)
    wrong += groups_of(launchers)
    for line in wrong:
        print('%s %s: %s' % (who, action, line))
    print('%d tried' % len(launchers))
    return 1 if wrong or n == 1 else 0


def pending(*command):
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    os.kill(os.getpid(), signal.SIGTERM)
    os.execv(command[0], command)


def sizes(*command):
    wrong = 0
    for i in range(20):
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(command[0], command)
        time.sleep(i * 0.0002)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 44, 111, 0, 0))
        wrong += os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0
        os.close(terminal)
    print('20 tried, %d times the size was lost' % wrong)
    return 1 if wrong else 0


sys.exit({'points': points, 'pending': pending, 'sizes': sizes}[sys.argv[1]](*sys.argv[2:]))
