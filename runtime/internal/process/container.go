package process

import (
	"context"
	"os/exec"
)

// A Container starts the programs of a step so that they reach what the step was given, and
// nothing else.
type Container interface {
	// Start starts a command, which does not write the work tree if readOnly is true. What it
	// starts has the tag as a soft limit; see tag_linux.go.
	Start(cmd *exec.Cmd, tag uint64, readOnly bool) (Contained, error)
	// Folder is a folder that the programs may read and write, for files that are handed to
	// them; it may not exist yet.
	Folder() string
}

// Contained is a process in a container.
type Contained interface {
	PID() int
	// Wait waits for the end of the process. It is called once.
	Wait() (exitCode int, signal string)
}

type containerKey struct{}

// WithContainer returns a context in which programs start in a container.
func WithContainer(ctx context.Context, c Container) context.Context {
	return context.WithValue(ctx, containerKey{}, c)
}

// WithObserver returns a context in which programs start by a container that only looks at what
// they do.
func WithObserver(ctx context.Context, c Container) context.Context {
	return WithContainer(context.WithValue(ctx, observerKey{}, true), c)
}

type observerKey struct{}

// Files returns the folder for files that are handed to a program which is started with the
// context: that of its container, or dir.
func Files(ctx context.Context, dir string) string {
	if c, ok := ctx.Value(containerKey{}).(Container); ok {
		return c.Folder()
	}
	return dir
}

// Outside returns where a path of the programs that start with the context lies: a container may show
// them something else there.
func Outside(ctx context.Context, path string) string {
	c, ok := ctx.Value(containerKey{}).(interface{ Outside(path string) string })
	if ok && IsContained(ctx) {
		return c.Outside(path)
	}
	return path
}

// ReadOnly returns a context in which the programs of a container do not write the work tree.
func ReadOnly(ctx context.Context) context.Context {
	return context.WithValue(ctx, readOnlyKey{}, true)
}

type readOnlyKey struct{}

// IsContained reports whether programs start in a container with the context.
func IsContained(ctx context.Context) bool {
	return ctx.Value(containerKey{}) != nil && ctx.Value(observerKey{}) == nil
}

// ordinary is a process in no container.
type ordinary struct{ *exec.Cmd }

func (o ordinary) PID() int { return o.Process.Pid }

func (o ordinary) Wait() (exitCode int, signal string) {
	// Wait's error repeats ProcessState; there is nothing to copy for it.
	_ = o.Cmd.Wait()
	return o.ProcessState.ExitCode(), signalName(o.ProcessState)
}

// StartObserved starts a command with a tag in no container, for a Container that looks at it.
// then returns when the command can go on; after an error, the command's end is waited for.
func StartObserved(cmd *exec.Cmd, tag uint64, then func() error) (Contained, error) {
	if err := children.startRegistered(cmd, tag); err != nil {
		return nil, err
	}
	if err := then(); err != nil {
		_ = cmd.Wait() // then's error says more
		children.removePID(cmd.Process.Pid)
		return nil, err
	}
	return ordinary{cmd}, nil
}

// StartProcess starts a command that is none of a step, which EndLeftovers is not to end. ended is
// called when it has been waited for.
func StartProcess(cmd *exec.Cmd) (ended func(), err error) {
	if err := children.startRegistered(cmd, 0); err != nil {
		return nil, err
	}
	return func() { children.removePID(cmd.Process.Pid) }, nil
}

// Register is like StartProcess for what start starts, such as the first process of a container.
func Register(start func() (pid int, err error)) (ended func(), err error) {
	var pid int
	err = children.register(func() (_ int, err error) {
		pid, err = start()
		return pid, err
	})
	if err != nil {
		return nil, err
	}
	return func() { children.removePID(pid) }, nil
}
