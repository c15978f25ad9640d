//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// An answer is what the process says that is to become an observed program.
type answer struct {
	// Fault says why the program did not start, and Errno is the system's error, if it is one.
	Fault string
	Errno syscall.Errno
}

// largest is the size of a message in bytes.
const largest = 4096

// sendMessage sends a message with files through a socket of newSocket.
func sendMessage(socket *os.File, message []byte, files ...int) error {
	c, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	var control []byte
	if len(files) > 0 {
		control = syscall.UnixRights(files...)
	}
	var fault error
	err = c.Write(func(fd uintptr) bool {
		fault = syscall.Sendmsg(int(fd), message, control, nil, unix.MSG_NOSIGNAL)
		return !errors.Is(fault, unix.EAGAIN)
	})
	return errors.Join(err, os.NewSyscallError("sendmsg", fault))
}

// receiveMessage reads a message into a buffer, and returns its length and its files. The error is io.EOF
// if the other end is closed.
func receiveMessage(socket *os.File, message []byte) (n int, files []int, err error) {
	c, err := socket.SyscallConn()
	if err != nil {
		return 0, nil, err
	}
	var control [1024]byte
	var m int
	var fault error
	err = c.Read(func(fd uintptr) bool {
		n, m, _, _, fault = syscall.Recvmsg(int(fd), message, control[:], unix.MSG_CMSG_CLOEXEC)
		return !errors.Is(fault, unix.EAGAIN)
	})
	if err = errors.Join(err, fault); err != nil {
		return 0, nil, err
	}
	if files, err = receivedFiles(control[:m]); err == nil && n == 0 {
		err = io.EOF
	}
	return n, files, err
}

// faultText is an error's text, shortened to what fits into a message.
func faultText(err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	return text[:min(len(text), largest/4)]
}

func errorErrno(err error) (n syscall.Errno) {
	errors.As(err, &n)
	return n
}

// receivedFiles returns the files that came with a message. The functions for addresses and messages are
// those of syscall, which net needs anyway: golang.org/x/sys/unix knows every kind of address.
func receivedFiles(control []byte) (files []int, err error) {
	list, err := syscall.ParseSocketControlMessage(control)
	for _, one := range list {
		if some, err := syscall.ParseUnixRights(&one); err == nil {
			files = append(files, some...)
		}
	}
	return files, err
}
