package tuning_test

import (
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/wfc-lang/wfc/internal/shared/tuning"
)

// A stack that grows is copied to another place. A compiler that sees that nothing is ever
// kept in the frame would leave it out.
func TestStacksHaveTheirSizeAtOnce(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it shrinks stacks
	for name, test := range map[string]struct {
		reserve func()
		size    int
	}{
		"Reserve": {tuning.ReserveStack, 60 << 10},
		"Small":   {tuning.ReserveSmallStack, 12 << 10},
	} {
		if !moves(func() {}, test.size) {
			t.Errorf("without %s, the stack does not move", name)
		}
		if moves(test.reserve, test.size) {
			t.Errorf("after %s, the stack moves", name)
		}
	}
}

// moves reports whether the stack of a new goroutine is copied by calls that need size bytes,
// after reserve.
func moves(reserve func(), size int) bool {
	moved := make(chan bool)
	go func() {
		var here byte
		reserve()
		before := uintptr(unsafe.Pointer(&here))
		deep(size)
		moved <- before != uintptr(unsafe.Pointer(&here))
	}()
	return <-moved
}

// deep needs at least size bytes of the stack.
//
//go:noinline
func deep(size int) (sum byte) {
	var frame [1 << 10]byte
	for i := range frame {
		frame[i] = byte(i*size) + frame[i*7%len(frame)]
	}
	if size > 2*len(frame) {
		sum = deep(size - 2*len(frame)) // the frame has more than the array
	}
	return sum + frame[size%len(frame)]
}
