//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"fmt"
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A list of calls is a program for interpret, in the assembler files: calls of the system with their
// arguments, in the memory where they are performed. A call that fails ends the list, unless it says
// which call comes then; so does one that returns zero, unless it says so, too.
//
// The memory of a helper has two regions. The calls that wait for others are in the first one, and
// those for which they have waited in the second one. A region begins with a header; the first one's
// also has the answer to who has sent the calls.
type list struct {
	region  uint64
	entries []entry
	data    []byte  // what addresses name
	about   []about // the calls, for errors
}

// An entry is a call as interpret reads it.
type entry struct {
	number  uint64
	args    [6]uint64
	results uint64 // bits of the arguments that are addresses of their values
	result  uint64
	ifZero  uint64 // the address of the call that comes then, or 0
	ifFault uint64
}

// An about says what a call is about.
type about struct{ call, path, target string }

const (
	interpreterSize = 512 // the code is shorter

	firstRegion  = 0x75a000000 // within the addresses that all processors have
	regionSize   = 1 << 24
	secondRegion = firstRegion + regionSize

	// In the header are the call that has failed, its result, what a list has found, and the call that
	// comes after one that has failed.
	headerSize   = 64
	answerValue  = firstRegion + 16
	faultHandler = firstRegion + 24
	answerSize   = 24

	entrySize    = uint64(unsafe.Sizeof(entry{}))
	resultOffset = uint64(unsafe.Offsetof(entry{}.result))
	dataOffset   = 1 << 20 // of a region

	// store is no call: it stores a number at an address, and returns zero.
	store = ^uint64(0)
)

// interpreterCode returns the code of interpret, and what comes after it.
func interpreterCode() *[interpreterSize]byte

// newList returns calls for those who wait for them.
func newList() *list { return newListIn(secondRegion) }

// newListIn returns calls in a region, with room for those of most lists.
func newListIn(region uint64) *list {
	l := memory.Get().(*list)
	l.region, l.about = region, make([]about, 0, 256)
	return l
}

// memory is that of lists that were packed.
var memory = sync.Pool{New: func() any { return &list{entries: make([]entry, 0, 256), data: make([]byte, 0, 8192)} }}

// next is the address of the next call.
func (l *list) next() uint64 { return l.region + headerSize + uint64(len(l.entries))*entrySize }

// call adds a call. An argument that is the address of a result stands for it. The call's result has
// the address that is returned.
func (l *list) call(what about, number uintptr, args ...uint64) (result uint64) {
	e := entry{number: uint64(number)}
	for i, a := range args {
		e.args[i] = a
		if a >= l.region+headerSize && a < l.next() && (a-l.region-headerSize)%entrySize == resultOffset {
			e.results |= 1 << i
		}
	}
	at := l.next() + resultOffset
	l.entries = append(l.entries, e)
	l.about = append(l.about, what)
	return at
}

// store adds that a number, or a result, is stored at an address.
func (l *list) store(address, value uint64) {
	l.call(about{}, uintptr(store), address, value)
}

// last is the call that was added last.
func (l *list) last() *entry { return &l.entries[len(l.entries)-1] }

// ignoring says that it does not matter if the last call fails.
func (l *list) ignoring() { l.last().ifFault = l.next() }

// A jump leads to a call that is not yet added.
type jump struct {
	l     *list
	entry int
	zero  bool
}

// onFault and onZero have the call that is added after land follow the last one if that fails, or returns zero.
func (l *list) onFault() jump { return jump{l, len(l.entries) - 1, false} }
func (l *list) onZero() jump  { return jump{l, len(l.entries) - 1, true} }

// skip adds a jump.
func (l *list) skip() jump {
	l.store(l.reserve(8), 0)
	return l.onZero()
}

// goTo adds a jump to a call that there is.
func (l *list) goTo(call uint64) {
	l.store(l.reserve(8), 0)
	l.last().ifZero = call
}

// land has the next call be where the jump leads.
func (j jump) land() {
	if e := &j.l.entries[j.entry]; j.zero {
		e.ifZero = j.l.next()
	} else {
		e.ifFault = j.l.next()
	}
}

// bytes adds data, and returns its address.
func (l *list) bytes(b []byte) uint64 {
	for len(l.data)%8 > 0 {
		l.data = append(l.data, 0)
	}
	at := l.region + dataOffset + uint64(len(l.data))
	l.data = append(l.data, b...)
	return at
}

// reserve adds zeros.
func (l *list) reserve(size int) uint64 { return l.bytes(make([]byte, size)) }

// text adds a string as the system wants it.
func (l *list) text(s string) uint64 { return l.bytes(append([]byte(s), 0)) }

// numbers adds numbers of 64 bits.
func (l *list) numbers(n ...uint64) uint64 {
	var b []byte
	for _, one := range n {
		b = binary.NativeEndian.AppendUint64(b, one)
	}
	return l.bytes(b)
}

// texts adds strings with a list of their addresses.
func (l *list) texts(list []string) uint64 {
	var at []uint64
	for _, s := range list {
		at = append(at, l.text(s))
	}
	return l.numbers(append(at, 0)...)
}

// structure adds a structure without pointers.
func structure[T any](l *list, s *T) uint64 {
	return l.bytes(unsafe.Slice((*byte)(unsafe.Pointer(s)), unsafe.Sizeof(*s)))
}

// pack returns a file in memory with the list, to which nothing is added any more.
func (l *list) pack() (*os.File, error) {
	if l.next() >= l.region+dataOffset || len(l.data) > regionSize-dataOffset {
		return nil, fmt.Errorf("the program needs more than the sandbox can hold: %w", unix.E2BIG)
	}
	fd, err := unix.MemfdCreate("calls", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	f := os.NewFile(uintptr(fd), "calls")
	entries := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(l.entries))), len(l.entries)*int(entrySize))
	if _, err = f.WriteAt(entries, headerSize); err == nil {
		_, err = f.WriteAt(l.data, dataOffset)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	memory.Put(&list{entries: l.entries[:0], data: l.data[:0]})
	l.entries, l.data = nil, nil
	return f, nil
}

// readAnswer returns the value of an answer to the list, or the error of the call that has failed.
func (l *list) readAnswer(text []byte) (value uint64, err error) {
	word := func(i int) uint64 { return binary.NativeEndian.Uint64(text[8*i:]) }
	if call := word(0); call != 0 {
		err = l.fault(call, unix.Errno(-word(1)))
	}
	return word(2), err
}

// fault returns the error of the call that has failed.
func (l *list) fault(call uint64, errno unix.Errno) error {
	i := int((call - l.region - headerSize) / entrySize)
	if call < l.region+headerSize || i >= len(l.about) {
		return fmt.Errorf("a helper of the sandbox: %w", errno)
	}
	a := l.about[i]
	var err error = errno
	switch {
	case a.path != "":
		err = &os.PathError{Op: a.call, Path: a.path, Err: errno}
	case a.call != "":
		err = os.NewSyscallError(a.call, errno)
	}
	if a.target != "" {
		err = fmt.Errorf("%s: %w", a.target, err)
	}
	return err
}
