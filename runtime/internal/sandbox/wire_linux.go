//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// An order tells the first process of a box what to do: prepare the box, start a program, make a
// network, or send a signal.
type order struct {
	ID uint64
	// Path and Args are the program, with its name as Args[0]; Dir is its folder, Env its environment.
	Path, Dir string
	Args, Env []string
	// Tag is the soft limit by which its processes are known, or 0; see package process.
	Tag uint64
	// Early and Mounts build its file system, in this order and after those of the base; Places
	// are where they are on its root. Writes are the paths in it that it may write.
	Early, Mounts []mount
	Places        string
	Writes        []string
	// Limits are those of the box: the first order has them. Its answer has a socket that listens
	// on the loopback device of network 0.
	Limits []limit
	// Next says that Early and Places are probably those of the first program. Masks hide parts of
	// the system from every program. The second order has them.
	Next  bool
	Masks []mount
	// Net is the number of its network; 0 has nothing but a loopback device.
	Net uint64
	// Ports are those on which the loopback device of a new network listens; 0 is any.
	// If there are any, the order is to make network ID.
	Ports []int
	// Signal is for all programs of the box, if it is not 0.
	Signal syscall.Signal
}

// An answer is what the first process says about an order.
type answer struct {
	ID uint64
	// Fault says why the program did not start, and Errno is the system's error, if it is one.
	Fault string
	Errno syscall.Errno
	// Ended says that the program has ended, and Status how. Empty says that no process is left
	// in the box then.
	Ended, Empty bool
	Status       syscall.WaitStatus
}

// largest is the size of a message in bytes. An order is larger, and so comes as a file.
const largest = 4096

// sendMessage sends a message with files, and as the credentials of a process of the sender's
// namespace unless pid is 0.
func sendMessage(c *net.UnixConn, message []byte, pid int, files ...int) error {
	var control []byte
	if len(files) > 0 {
		control = append(control, unix.UnixRights(files...)...)
	}
	if pid > 0 {
		control = append(control, unix.UnixCredentials(&unix.Ucred{Pid: int32(pid), Uid: uint32(os.Getuid()), Gid: uint32(os.Getgid())})...)
	}
	_, _, err := c.WriteMsgUnix(message, control, nil)
	return err
}

// receiveMessage returns a message, the number of the process with whose credentials it was sent, as
// this process sees it, and its files.
func receiveMessage(c *net.UnixConn) (message []byte, pid int, files []int, err error) {
	message, control := make([]byte, largest), make([]byte, 1024)
	n, m, _, _, err := c.ReadMsgUnix(message, control)
	if err != nil {
		return nil, 0, nil, err
	}
	list, err := unix.ParseSocketControlMessage(control[:m])
	if err != nil {
		return nil, 0, nil, err
	}
	for _, one := range list {
		if who, err := unix.ParseUnixCredentials(&one); err == nil {
			pid = int(who.Pid)
		}
		if some, err := unix.ParseUnixRights(&one); err == nil {
			files = append(files, some...)
		}
	}
	for _, f := range files {
		unix.CloseOnExec(f)
	}
	if n == 0 {
		return nil, 0, files, net.ErrClosed
	}
	return message[:n], pid, files, nil
}

// packOrder returns a file in memory with an order.
func packOrder(o *order) (*os.File, error) {
	fd, err := unix.MemfdCreate("order", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	f := os.NewFile(uintptr(fd), "order")
	if _, err := f.Write(encodeMessage(o)); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// unpackOrder reads an order.
func unpackOrder(fd int) (*order, error) {
	defer unix.Close(fd)
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		return nil, os.NewSyscallError("fstat", err)
	}
	text := make([]byte, info.Size)
	if n, err := unix.Pread(fd, text, 0); err != nil || n < len(text) {
		return nil, errors.Join(io.ErrUnexpectedEOF, os.NewSyscallError("pread", err))
	}
	var o order
	if err := decodeMessage(text, &o); err != nil {
		return nil, fmt.Errorf("read an order: %w", err)
	}
	return &o, nil
}
