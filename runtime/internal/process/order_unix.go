//go:build unix

package process

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// An orderedPipe is read by two goroutines: its own, and one that first takes from it what the
// program wrote there before it wrote elsewhere.
type orderedPipe struct {
	from *os.File
	take func([]byte)

	mu     sync.Mutex // held from reading a piece until it is taken
	buffer [32 << 10]byte
}

// drain takes pieces until the end, or a read error, which is an end too.
func (p *orderedPipe) drain() {
	conn, err := p.from.SyscallConn()
	for err == nil {
		n := 0
		err = conn.Read(func(fd uintptr) (done bool) {
			p.mu.Lock()
			var fault error
			if n, fault = readPipe(fd, p.buffer[:]); fault == unix.EAGAIN {
				p.mu.Unlock()
				return false
			}
			return true
		})
		if err != nil {
			return
		}
		if n <= 0 {
			p.mu.Unlock()
			return
		}
		p.take(p.buffer[:n])
		p.mu.Unlock()
	}
}

// takeWritten takes what the program has written by now.
func (p *orderedPipe) takeWritten() {
	conn, err := p.from.SyscallConn()
	for n := len(p.buffer); err == nil && n == len(p.buffer); {
		p.mu.Lock()
		err = conn.Control(func(fd uintptr) { n, _ = readPipe(fd, p.buffer[:]) }) // its own goroutine meets the error
		if err == nil && n > 0 {
			p.take(p.buffer[:n])
		}
		p.mu.Unlock()
	}
}

// readPipe reads what is there.
func readPipe(fd uintptr, buffer []byte) (n int, err error) {
	for {
		if n, err = unix.Read(int(fd), buffer); err != unix.EINTR {
			return n, err
		}
	}
}
