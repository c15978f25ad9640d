//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// An operation is what a system call does with a path that it names.
type operation struct {
	call uint32
	does verb
	// folder is the number of the argument with the folder from which the path leads, or -1 for
	// the working folder; path is that of the path.
	folder, path int
}

type verb int

const (
	reads      verb = iota + 1
	writes          // a file that is there
	opens           // by the flags in the argument after the path
	opensByHow      // by the struct at the argument after the path
	creates         // as creat
	executes
	makes // an entry of a folder, as what follows
	makesFolder
	replaces
	removes
)

// operations are what system calls do that are looked at, beside operationsHere. socketCalls are
// looked at as well, and sendto if it names an address.
var operations = []operation{
	{unix.SYS_OPENAT, opens, 0, 1}, {unix.SYS_OPENAT2, opensByHow, 0, 1}, {unix.SYS_EXECVE, executes, -1, 0},
	{unix.SYS_EXECVEAT, executes, 0, 1}, {unix.SYS_CHDIR, reads, -1, 0}, {unix.SYS_TRUNCATE, writes, -1, 0},
	{unix.SYS_FCHMODAT, writes, 0, 1}, {unix.SYS_FCHMODAT2, writes, 0, 1}, {unix.SYS_FCHOWNAT, writes, 0, 1},
	{unix.SYS_UTIMENSAT, writes, 0, 1}, {unix.SYS_MKDIRAT, makesFolder, 0, 1}, {unix.SYS_MKNODAT, makes, 0, 1},
	{unix.SYS_SYMLINKAT, makes, 1, 2}, {unix.SYS_LINKAT, reads, 0, 1}, {unix.SYS_LINKAT, makes, 2, 3},
	{unix.SYS_UNLINKAT, removes, 0, 1}, {unix.SYS_RENAMEAT, removes, 0, 1}, {unix.SYS_RENAMEAT, replaces, 2, 3},
	{unix.SYS_RENAMEAT2, removes, 0, 1}, {unix.SYS_RENAMEAT2, replaces, 2, 3},
}

var socketCalls = []uint32{unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_CONNECT, unix.SYS_SENDMSG, unix.SYS_SENDMMSG}

// findRefusals returns what the sandbox would have refused of a call.
func (o *Observer) findRefusals(n *notification, seen *view) (found []Access) {
	pid, ofSocket := int(n.PID), true
	for _, op := range slices.Concat(operations, operationsHere) {
		if op.call != n.Number {
			continue
		}
		ofSocket = false
		if n.Args[op.path] == 0 {
			continue // it names an open file
		}
		name, err := seen.readString(pid, n.Args[op.path])
		if err != nil {
			return addBlindAccess(found, pid, err)
		}
		folder := int32(unix.AT_FDCWD)
		if op.folder >= 0 {
			folder = int32(n.Args[op.folder])
		}
		found = seen.addRefusedOperation(found, op.does, pid, folder, name, n.Args[op.path+1])
	}
	if !ofSocket {
		return found
	}
	found, err := o.findSocketRefusals(n, seen)
	return addBlindAccess(found, pid, err)
}

// addBlindAccess adds that this process may not look into a program, if that is the error.
func addBlindAccess(found []Access, pid int, err error) []Access {
	if !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.EACCES) {
		return found // what is not there, the call does not find either
	}
	return append(found, Access{Way: "blind", What: commandName(pid)})
}

// addRefusedOperation adds what would have been refused of an operation.
func (v *view) addRefusedOperation(found []Access, does verb, pid int, folder int32, name string, flags uint64) []Access {
	switch does {
	case creates:
		does, flags = opens, unix.O_CREAT|unix.O_WRONLY|unix.O_TRUNC
	case opensByHow:
		if v.readProcessMemory(pid, flags, 8) != nil {
			return found
		}
		does, flags = opens, binary.NativeEndian.Uint64(v.buffer[:])
	}
	mayExist, mayBeNew := does != makes && does != makesFolder, does == makes || does == makesFolder || does == replaces
	if does == opens {
		if flags&unix.O_PATH != 0 {
			return found // by itself, that reads nothing
		}
		mayBeNew = flags&unix.O_CREAT != 0
		mayExist = !mayBeNew || flags&unix.O_EXCL == 0
		does = reads
		if flags&(unix.O_ACCMODE|unix.O_TRUNC) != 0 {
			does = writes
		}
	}
	path, exists, err := locatePath(pid, folder, name, does < makes)
	if err != nil || exists && !mayExist || !exists && !mayBeNew {
		return found // it fails
	}
	found = v.addRefusedAccess(found, path, does, !exists)
	if does == executes {
		if path, exists, err = locatePath(pid, unix.AT_FDCWD, shebangInterpreter(path), true); err == nil && exists {
			found = v.addRefusedAccess(found, path, executes, false)
		}
	}
	return found
}

// addRefusedAccess adds an access to a path, if the sandbox would have refused it and the system does not.
func (v *view) addRefusedAccess(found []Access, path string, does verb, isNew bool) []Access {
	a, at, mode := Access{Way: "write", What: path}, path, uint32(unix.W_OK)
	switch does {
	case reads:
		a.Way, mode = "read", unix.R_OK
	case executes:
		a.Way, mode = "read", unix.X_OK
	}
	if !v.refusesAccess(path, a.Way == "write", isNew) {
		return found
	}
	if isNew || does >= makes {
		at = filepath.Dir(path)
		a.Entry = does != makesFolder && v.refusesAccess(at, true, false)
	}
	if path == "/dev/tty" || unix.Faccessat(unix.AT_FDCWD, at, mode, 0) != nil {
		return found // a step has no terminal
	}
	if strings.HasPrefix(path, "/dev/") {
		a = Access{What: "the device " + path}
	}
	return append(found, a)
}

// locatePath returns where a path leads for a process, and whether something is there. Without
// follow, the last part of the path is not followed if it is a link.
func locatePath(pid int, folder int32, name string, follow bool) (path string, exists bool, err error) {
	process := "/proc/" + strconv.Itoa(pid)
	switch {
	case name == "":
		path = process + "/fd/" + strconv.Itoa(int(folder))
	case name[0] != '/' && folder == unix.AT_FDCWD:
		path = process + "/cwd/" + name
	case name[0] != '/':
		path = process + "/fd/" + strconv.Itoa(int(folder)) + "/" + name
	default:
		path = name
		// What these names mean depends on who asks.
		for own, means := range map[string]string{
			"/proc/self": "", "/proc/thread-self": "", "/dev/fd": "/fd", "/dev/stdin": "/fd/0", "/dev/stdout": "/fd/1", "/dev/stderr": "/fd/2",
		} {
			if rest, ok := strings.CutPrefix(name, own); ok && (rest == "" || rest[0] == '/') {
				path = process + means + rest
			}
		}
	}
	if follow {
		real, err := followLinks(path, 0)
		if !errors.Is(err, unix.ENOENT) {
			return real, true, err
		}
	}
	parent, base := filepath.Split(strings.TrimRight(path, "/"))
	if base == "." || base == ".." {
		return "", false, unix.ENOENT
	}
	real, err := followLinks(parent, unix.O_DIRECTORY)
	if err != nil {
		return "", false, err
	}
	real = filepath.Join(real, base)
	_, err = os.Lstat(real)
	return real, err == nil, nil
}

// followLinks returns where the links of a path lead. What is in no file system is not there.
func followLinks(path string, flags int) (string, error) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC|flags, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	real, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	if err == nil && (!filepath.IsAbs(real) || strings.HasSuffix(real, " (deleted)")) {
		err = unix.ENOTDIR
	}
	return real, err
}

// shebangInterpreter returns the program that the first line of a file names, or a path that is not
// there.
func shebangInterpreter(path string) string {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "/"
	}
	defer f.Close()
	start, _ := io.ReadAll(io.LimitReader(f, 256))
	line, _, _ := bytes.Cut(start, []byte("\n"))
	words := strings.Fields(strings.TrimPrefix(string(line), "#!"))
	if !bytes.HasPrefix(line, []byte("#!")) || len(words) == 0 {
		return "/"
	}
	return words[0]
}

// findSocketRefusals returns what would have been refused of a call for a socket.
func (o *Observer) findSocketRefusals(n *notification, seen *view) ([]Access, error) {
	pid := int(n.PID)
	at, size := n.Args[1], n.Args[2]
	switch n.Number {
	case unix.SYS_LISTEN:
		return nil, o.noteListeningPort(pid, int(n.Args[0]))
	case unix.SYS_SENDTO:
		at, size = n.Args[4], n.Args[5]
	case unix.SYS_SENDMSG, unix.SYS_SENDMMSG: // of several messages, the first
		if err := seen.readProcessMemory(pid, at, 12); err != nil {
			return nil, err
		}
		at, size = binary.NativeEndian.Uint64(seen.buffer[:]), uint64(binary.NativeEndian.Uint32(seen.buffer[8:]))
	}
	if at == 0 || size < 2 {
		return nil, nil
	}
	if err := seen.readProcessMemory(pid, at, int(min(size, unix.SizeofSockaddrAny))); err != nil {
		return nil, err
	}
	b := bytes.Clone(seen.buffer[:min(size, unix.SizeofSockaddrAny)])
	switch family := binary.NativeEndian.Uint16(b); {
	case family == unix.AF_UNIX && len(b) > 2:
		return o.unixSocket(n, seen, b[2:])
	case family == unix.AF_INET && len(b) >= 8:
		return o.findAddressRefusals(n, netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[4:8])), uint16(b[2])<<8|uint16(b[3])))
	case family == unix.AF_INET6 && len(b) >= 24:
		return o.findAddressRefusals(n, netip.AddrPortFrom(netip.AddrFrom16([16]byte(b[8:24])).Unmap(), uint16(b[2])<<8|uint16(b[3])))
	}
	return nil, nil
}

// unixSocket returns what would have been refused of a socket with a path, or with an abstract
// name after a zero.
func (o *Observer) unixSocket(n *notification, seen *view, name []byte) ([]Access, error) {
	pid := int(n.PID)
	if name[0] == 0 {
		abstract := "@" + string(bytes.TrimRight(name[1:], "\x00"))
		switch {
		case n.Number == unix.SYS_BIND:
			o.noteOwnName(abstract)
		case !o.isOurs(abstract):
			return []Access{{What: commandName(pid) + " connects to the abstract socket " + abstract}}, nil
		}
		return nil, nil
	}
	path, _, _ := strings.Cut(string(name), "\x00")
	does := writes
	if n.Number == unix.SYS_BIND {
		does = makes
	}
	real, exists, err := locatePath(pid, unix.AT_FDCWD, path, does == writes)
	// To connect, a program need only see the socket.
	if err != nil || exists == (does == makes) || exists && !seen.refusesAccess(real, false, false) {
		return nil, nil
	}
	return seen.addRefusedAccess(nil, real, does, does == makes), nil
}

// findAddressRefusals returns what would have been refused of a call that names an address.
func (o *Observer) findAddressRefusals(n *notification, to netip.AddrPort) ([]Access, error) {
	pid, port := int(n.PID), strconv.Itoa(int(to.Port()))
	here := to.Addr().IsLoopback() || to.Addr().IsUnspecified()
	switch {
	case to.Port() == 0:
		return nil, nil
	case n.Number == unix.SYS_BIND:
		o.noteOwnName(port)
		return nil, nil
	case here && (int(to.Port()) == o.Proxy || o.isOurs(port)):
		return nil, nil
	case to.Port() == 53:
		return []Access{{What: commandName(pid) + " asks for the addresses of names itself (DNS)"}}, nil
	case n.Number != unix.SYS_CONNECT:
		return []Access{{What: commandName(pid) + " sends to " + to.String()}}, nil
	}
	fd, err := socketOf(pid, int(n.Args[0]))
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	// Of a datagram's socket, this only sets the address. Programs ask so for their own one.
	if kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE); err != nil || kind != unix.SOCK_STREAM {
		return nil, err
	}
	switch {
	case here && !isPortListening(to.Port()):
		return nil, nil
	case here:
		return []Access{{Way: "host", What: "local:localhost:" + port}}, nil
	}
	return []Access{{What: commandName(pid) + " connects to " + to.String() + " without the proxy"}}, nil
}

// noteListeningPort notes the port of a socket on which a program listens.
func (o *Observer) noteListeningPort(pid, number int) error {
	fd, err := socketOf(pid, number)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	switch a, _ := syscall.Getsockname(fd); a := a.(type) {
	case *syscall.SockaddrInet4:
		o.noteOwnName(strconv.Itoa(a.Port))
	case *syscall.SockaddrInet6:
		o.noteOwnName(strconv.Itoa(a.Port))
	}
	return nil
}

func (o *Observer) noteOwnName(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.own == nil {
		o.own = map[string]bool{}
	}
	o.own[name] = true
}

func (o *Observer) isOurs(name string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.own[name]
}

// isPortListening reports whether anything on this machine listens on a port.
func isPortListening(port uint16) bool {
	end := fmt.Sprintf(":%04X", port)
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, _ := wholefile.Source.Read(table) // a machine may not have IPv6
		for line := range strings.Lines(string(text)) {
			const local, state, listens = 1, 3, "0A"
			if fields := strings.Fields(line); len(fields) > state && strings.HasSuffix(fields[local], end) && fields[state] == listens {
				return true
			}
		}
	}
	return false
}

// socketOf returns a copy of an open file of a process.
func socketOf(pid, number int) (int, error) {
	process, err := unix.PidfdOpen(threadProcess(pid), 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(process)
	return unix.PidfdGetfd(process, number, 0)
}

// threadProcess returns the process of a thread.
func threadProcess(pid int) int {
	text, _ := wholefile.Source.Read("/proc/" + strconv.Itoa(pid) + "/status") // without it, it has ended
	for line := range strings.Lines(string(text)) {
		if id, ok := strings.CutPrefix(line, "Tgid:"); ok {
			pid, _ = strconv.Atoi(strings.TrimSpace(id))
		}
	}
	return pid
}

// commandName is the name of a process's program.
func commandName(pid int) string {
	text, _ := wholefile.Source.Read("/proc/" + strconv.Itoa(threadProcess(pid)) + "/comm")
	return strings.TrimSpace(string(text))
}
