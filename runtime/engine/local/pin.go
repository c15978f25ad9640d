package local

import (
	"context"
	"errors"
	"io"
	"os"
)

// A pin is the binary that a run was begun or resumed with, kept in the run's
// folder.
//
// A hard link costs nothing and survives the binary's replacement, since
// builds replace by renaming. Where there can be none, a copy is made while the
// run goes on; a run that completes before does not need it.
type pin struct {
	path   string
	cancel context.CancelFunc
	copied chan struct{} // closed when the copy is made, or has failed
}

// pinPath returns where a run's binary is kept, or "" when none is.
func (e *Engine) pinPath(id string) string {
	if e.cfg.Executable == "" {
		return ""
	}
	return e.cfg.State.Executable(id)
}

// pin keeps the binary. One that cannot be kept is missed when the run is
// resumed by another build, and only then.
func (e *Engine) pin(id string) *pin {
	p := &pin{path: e.pinPath(id)}
	if p.path == "" || same(e.cfg.Executable, p.path) {
		return p
	}
	tmp := p.path + ".new"
	os.Remove(tmp)
	if os.Link(e.cfg.Executable, tmp) == nil {
		p.put(tmp)
		return p
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel, p.copied = cancel, make(chan struct{})
	go func() {
		defer close(p.copied)
		if copyFile(ctx, e.cfg.Executable, tmp) == nil {
			p.put(tmp)
		} else {
			os.Remove(tmp)
		}
	}()
	return p
}

// put moves the finished file to its place.
func (p *pin) put(tmp string) {
	if os.Rename(tmp, p.path) != nil {
		os.Remove(tmp)
	}
}

// keep waits until the binary is kept.
func (p *pin) keep() {
	if p != nil && p.copied != nil {
		<-p.copied
		p.cancel()
	}
}

// drop gives the binary up.
func (p *pin) drop() {
	if p == nil || p.path == "" {
		return
	}
	if p.copied != nil {
		p.cancel()
		<-p.copied
	}
	os.Remove(p.path)
}

func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

func copyFile(ctx context.Context, from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	const step = 1 << 20
	for err == nil && ctx.Err() == nil {
		_, err = io.CopyN(dst, src, step)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, ctx.Err(), dst.Close())
}
