//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"io"
)

// A coder writes what it is shown behind its data, or reads it from there. JSON would take a
// tenth of the time that the start of a program takes.
type coder struct {
	data  []byte
	reads bool
	short bool // there was less to read
}

// A message is what can be coded.
type message interface{ code(*coder) }

func encodeMessage(m message) []byte {
	var c coder
	m.code(&c)
	return c.data
}

func decodeMessage(data []byte, m message) error {
	c := coder{data: data, reads: true}
	if m.code(&c); c.short {
		return io.ErrUnexpectedEOF
	}
	return nil
}

func (a *answer) code(c *coder) {
	c.codeString(&a.Fault)
	codeInteger(c, &a.Errno)
}

// codeInteger is for numbers that are not negative.
func codeInteger[T ~int | ~uint32 | ~uint64 | ~uintptr](c *coder, n *T) {
	if !c.reads {
		c.data = binary.AppendUvarint(c.data, uint64(*n))
		return
	}
	read, size := binary.Uvarint(c.data)
	if size <= 0 {
		c.short, c.data = true, nil
		return
	}
	*n, c.data = T(read), c.data[size:]
}

func (c *coder) codeString(s *string) {
	size := len(*s)
	codeInteger(c, &size)
	switch {
	case !c.reads:
		c.data = append(c.data, *s...)
	case size > len(c.data):
		c.short, c.data = true, nil
	default:
		*s, c.data = string(c.data[:size]), c.data[size:]
	}
}

func codeList[T any](c *coder, l *[]T, each func(*T)) {
	size := len(*l)
	codeInteger(c, &size)
	if c.reads {
		if size > len(c.data) { // an entry has a byte at least
			c.short, c.data = true, nil
			return
		}
		*l = make([]T, size)
	}
	for i := range *l {
		each(&(*l)[i])
	}
}
