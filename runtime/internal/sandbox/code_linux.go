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

func encode(m message) []byte {
	var c coder
	m.code(&c)
	return c.data
}

func decode(data []byte, m message) error {
	c := coder{data: data, reads: true}
	if m.code(&c); c.short {
		return io.ErrUnexpectedEOF
	}
	return nil
}

func (o *order) code(c *coder) {
	integer(c, &o.ID)
	c.text(&o.Path)
	c.text(&o.Dir)
	entries(c, &o.Args, c.text)
	entries(c, &o.Env, c.text)
	integer(c, &o.Tag)
	entries(c, &o.Early, c.mount)
	entries(c, &o.Mounts, c.mount)
	c.text(&o.Places)
	entries(c, &o.Writes, c.text)
	entries(c, &o.Limits, func(l *limit) {
		integer(c, &l.Resource)
		integer(c, &l.Most)
	})
	c.flag(&o.Next)
	integer(c, &o.Net)
	entries(c, &o.Ports, func(port *int) { integer(c, port) })
	integer(c, &o.Signal)
}

func (c *coder) mount(m *mount) {
	c.text(&m.Kind)
	c.text(&m.Source)
	c.text(&m.Target)
	integer(c, &m.Device)
	integer(c, &m.Inode)
}

func (a *answer) code(c *coder) {
	integer(c, &a.ID)
	c.text(&a.Fault)
	integer(c, &a.Errno)
	c.flag(&a.Ended)
	c.flag(&a.Empty)
	integer(c, &a.Status)
}

// integer is for numbers that are not negative.
func integer[T ~int | ~uint32 | ~uint64 | ~uintptr](c *coder, n *T) {
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

func (c *coder) flag(f *bool) {
	n := map[bool]int{true: 1}[*f]
	integer(c, &n)
	*f = n == 1
}

func (c *coder) text(s *string) {
	size := len(*s)
	integer(c, &size)
	switch {
	case !c.reads:
		c.data = append(c.data, *s...)
	case size > len(c.data):
		c.short, c.data = true, nil
	default:
		*s, c.data = string(c.data[:size]), c.data[size:]
	}
}

func entries[T any](c *coder, l *[]T, each func(*T)) {
	size := len(*l)
	integer(c, &size)
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
