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

// A message is an order or an answer.
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

func (o *order) code(c *coder) {
	codeInteger(c, &o.ID)
	c.codeString(&o.Path)
	c.codeString(&o.Dir)
	codeList(c, &o.Args, c.codeString)
	codeList(c, &o.Env, c.codeString)
	codeInteger(c, &o.Tag)
	codeList(c, &o.Early, c.codeMount)
	codeList(c, &o.Mounts, c.codeMount)
	c.codeString(&o.Places)
	codeList(c, &o.Writes, c.codeString)
	codeList(c, &o.Limits, func(l *limit) {
		codeInteger(c, &l.Resource)
		codeInteger(c, &l.Most)
	})
	c.codeBool(&o.Next)
	codeList(c, &o.Masks, c.codeMount)
	codeInteger(c, &o.Net)
	codeList(c, &o.Ports, func(port *int) { codeInteger(c, port) })
	codeInteger(c, &o.Signal)
}

func (c *coder) codeMount(m *mount) {
	c.codeString(&m.Kind)
	c.codeString(&m.Source)
	c.codeString(&m.Target)
	codeInteger(c, &m.Device)
	codeInteger(c, &m.Inode)
}

func (a *answer) code(c *coder) {
	codeInteger(c, &a.ID)
	c.codeString(&a.Fault)
	codeInteger(c, &a.Errno)
	c.codeBool(&a.Ended)
	c.codeBool(&a.Empty)
	codeInteger(c, &a.Status)
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

func (c *coder) codeBool(f *bool) {
	n := map[bool]int{true: 1}[*f]
	codeInteger(c, &n)
	*f = n == 1
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
