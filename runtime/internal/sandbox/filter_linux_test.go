//go:build linux && (amd64 || arm64)

package sandbox

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// decide runs the filter for a call whose arguments are 0.
func decide(t *testing.T, number uint32) uint32 {
	f := filter()
	var loaded uint32
	for at := 0; at < len(f); at++ {
		i := f[at]
		var jumps bool
		switch i.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			loaded = map[uint32]uint32{callNumber: number, callArch: auditArch}[i.K]
			continue
		case unix.BPF_RET | unix.BPF_K:
			return i.K
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			jumps = loaded == i.K
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			jumps = loaded >= i.K
		case unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K:
			jumps = loaded&i.K != 0
		default:
			t.Fatalf("instruction %d has the code %#x", at, i.Code)
		}
		at += int(map[bool]uint8{true: i.Jt, false: i.Jf}[jumps])
	}
	t.Fatalf("the filter ends without a decision about call %d", number)
	return 0
}

// The filter refuses the calls of the list and permits all others.
func TestFilter(t *testing.T) {
	for number := range uint32(1000) {
		want := uint32(unix.SECCOMP_RET_ALLOW)
		switch {
		case slices.Contains(refused, int(number)):
			want = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
		case number == unix.SYS_CLONE3:
			want = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
		case number == unix.SYS_SOCKET: // family 0
			want = unix.SECCOMP_RET_ERRNO | uint32(unix.EAFNOSUPPORT)
		}
		if got := decide(t, number); got != want {
			t.Errorf("call %d: %#x, want %#x", number, got, want)
		}
	}
}
