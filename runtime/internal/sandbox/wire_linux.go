//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"net"
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

// sendMessage sends a message with files.
func sendMessage(c *net.UnixConn, message []byte, files ...int) error {
	var control []byte
	if len(files) > 0 {
		control = append(control, syscall.UnixRights(files...)...)
	}
	_, _, err := c.WriteMsgUnix(message, control, nil)
	return err
}

// receiveMessage returns a message and its files.
func receiveMessage(c *net.UnixConn) (message []byte, files []int, err error) {
	message, control := make([]byte, largest), make([]byte, 1024)
	n, m, _, _, err := c.ReadMsgUnix(message, control)
	if err != nil {
		return nil, nil, err
	}
	if files, err = receivedFiles(control[:m]); err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		unix.CloseOnExec(f)
	}
	if n == 0 {
		return nil, files, net.ErrClosed
	}
	return message[:n], files, nil
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
