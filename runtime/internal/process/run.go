package process

import (
	"cmp"
	"context"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"
)

// Running a program takes four precautions that os/exec alone does not take.
//
// A program starts others. Each Command leads its own session and process group, and
// ending it ends the group: first with SIGTERM, and after Limits.Grace with SIGKILL. The
// group has ended when no member is alive; the leader's end is not enough, since bash
// dies of SIGTERM at once while the program it waits for is still cleaning up. Agents get
// SIGINT before (Command.Interrupt): by SIGTERM they would lose what the turn has cost.
//
// A program may leave others behind that hold its output open, so that reading
// to the end would never end. Once the leader is gone the readers have
// Limits.Linger to come to the end; then the rest of the group is ended, and
// the pipes are closed, because a process may also have left the group. A
// process that was left behind with its output sent elsewhere is left alone
// until the run ends: that is how a script starts a server for later steps
// (leftover.go). A command that is stopped leaves nothing behind.
//
// A program must not answer in a person's name. In its own session it has no controlling
// terminal, so it cannot type at the one that the run was started from. For the same
// reason sudo, ssh and git cannot ask there.
//
// A program may have to wait for the commit of its step's start (Hold).
//
// A process would outlive wfc, if that is killed. A watcher ends it (watch_unix.go); and
// between its start and its end a record lets the next process of the run find it
// (survivor.go).
//
// A number does not identify a process: the system reuses it after the process's end. It
// does not reuse a group's number while the group has a member, so wfc checks for members
// before it signals a group whose leader has ended. And a record has the time of the
// process's start, which distinguishes it from others with the same number.

// Run runs the command to its end or to the end of ctx, whichever is first; in
// the latter case nothing of it is left running when Run returns. The error is
// a *StartError when the program could not be started.
func Run(ctx context.Context, c *Command) (*End, error) {
	if err := ctx.Err(); err != nil {
		return &End{ExitCode: -1, Stopped: err}, nil
	}
	limits := c.Limits.withDefaults()
	p, err := startRunning(ctx, c, limits)
	if err != nil {
		return nil, err
	}
	defer c.Hold.closeGate()
	c.Hold.Wait(ctx, p.exited)
	if c.Timeout > 0 {
		limited, cancel := context.WithTimeout(ctx, c.Timeout)
		defer cancel()
		ctx = limited
	}
	p.supervise(ctx, limits, c.Interrupt)
	return p.end, nil
}

// running is a started command.
type running struct {
	cmd     *exec.Cmd
	child   Contained
	pid     int
	tag     uint64        // see tag_linux.go
	exited  chan struct{} // closed when the leader has ended and been reaped
	drained chan struct{} // closed when both outputs have come to their end
	over    chan struct{} // closed when too much came on standard output, or it was refused
	stdout  *capture
	taken   *consumer
	stderr  *tail
	printed *tail
	pipes   []*os.File // our ends
	fed     *feeder    // nil when nothing is written while the program runs
	record  *record
	end     *End
	// contained says that the command ends with its container, which ends with this process.
	contained bool
}

func startRunning(ctx context.Context, c *Command, limits Limits) (*running, error) {
	cmd := &exec.Cmd{Path: c.Path, Args: append([]string{c.displayName()}, c.Args...), Dir: c.Dir, Env: c.environWithOwner()}
	ownSession(cmd)
	p := &running{
		cmd:     cmd,
		exited:  make(chan struct{}),
		drained: make(chan struct{}),
		over:    make(chan struct{}),
		end:     &End{ExitCode: -1},
	}
	pipes, theirs, err := p.connectPipes(c)
	if err != nil {
		return nil, &StartError{Program: c.displayName(), Err: err}
	}
	if c.Hold == nil && !IsContained(ctx) {
		startWatcher() // a program that waits leaves time for that, see guardCommand
	}
	p.tag = newTag(c.Owner)
	child, born, err := startCommand(ctx, cmd, p.tag)
	for _, f := range theirs {
		f.Close()
	}
	if err != nil {
		pipes.closeAll()
		forgetTag(p.tag)
		return nil, &StartError{Program: c.displayName(), Dir: c.Dir, Err: err, interpreter: interpreterOf(c.Path)}
	}
	p.child, p.pid = child, child.PID()
	p.contained = IsContained(ctx)
	p.tag = guardCommand(p.pid, p.tag, p.contained)
	if pipes.gate != nil {
		c.Hold.setGate(pipes.gate)
	}
	p.record = writeRecord(c.Owner, p.pid, p.tag, born)
	p.startReaders(pipes, newMasker(c.Env), c, limits.Output) // the owner's variables are not secrets
	if c.Feed != nil {
		p.fed = startFeeder(pipes.in, c.Feed)
	} else if pipes.in != nil {
		// A program may end without reading all of its input: then the write fails.
		p.fed = startFeeder(pipes.in, func(_ context.Context, w io.Writer) { _, _ = w.Write(c.Stdin) })
	}
	go p.waitForLeader()
	return p, nil
}

func (c *Command) displayName() string {
	return cmp.Or(c.Name, c.Path)
}

// environWithOwner returns the environment with the owner's variables last, so that
// nothing overrides them.
func (c *Command) environWithOwner() []string {
	env := append(make([]string, 0, len(c.Env)+2), c.Env...)
	if c.Owner.RunID != "" {
		env = append(env, runIDVariable+"="+c.Owner.RunID, stepKeyVariable+"="+c.Owner.Key)
	}
	return env
}

// nullDevice is the input of all programs without input.
var nullDevice = sync.OnceValues(func() (*os.File, error) { return os.Open(os.DevNull) })

// pipeEnds are our ends of a process's pipes; in is nil without input, and gate without a
// Hold.
type pipeEnds struct{ in, out, err, gate *os.File }

func (e *pipeEnds) closeAll() {
	for _, f := range []*os.File{e.in, e.out, e.err, e.gate} {
		if f != nil {
			f.Close()
		}
	}
}

// connectPipes gives the command its pipes. theirs are the ends to close once it
// has started.
func (p *running) connectPipes(c *Command) (ours *pipeEnds, theirs []*os.File, err error) {
	ours = &pipeEnds{}
	fail := func(err error) (*pipeEnds, []*os.File, error) {
		ours.closeAll()
		for _, f := range theirs {
			f.Close()
		}
		return nil, nil, err
	}
	var w *os.File
	if ours.out, w, err = outputPipe(); err != nil {
		return fail(err)
	}
	theirs = append(theirs, w)
	p.cmd.Stdout = w
	if ours.err, w, err = outputPipe(); err != nil {
		return fail(err)
	}
	theirs = append(theirs, w)
	p.cmd.Stderr = w
	if c.Stdin != nil || c.Feed != nil {
		var r *os.File
		if r, ours.in, err = os.Pipe(); err != nil {
			return fail(err)
		}
		theirs = append(theirs, r)
		p.cmd.Stdin = r
	} else if null, err := nullDevice(); err == nil {
		p.cmd.Stdin = null
	}
	if c.Hold != nil {
		if w, ours.gate, err = os.Pipe(); err != nil {
			return fail(err)
		}
		theirs = append(theirs, w)
		p.cmd.ExtraFiles = []*os.File{w}
	}
	p.pipes = []*os.File{ours.out, ours.err}
	if ours.in != nil {
		p.pipes = append(p.pipes, ours.in)
	}
	return ours, theirs, nil
}

// startReaders starts a reader for each output.
func (p *running) startReaders(pipes *pipeEnds, secrets *masker, c *Command, limit int) {
	sink := &sink{output: c.Output}
	end := sync.OnceFunc(func() { close(p.over) })
	p.stdout = &capture{limit: limit, overflow: end}
	p.taken = &consumer{sink: sink, consume: c.Consume, refused: end}
	p.stderr, p.printed = &tail{}, &tail{}
	var readers atomic.Int32
	readers.Store(2)
	read := func(drain func()) {
		// Before its release a program prints at most a complaint about its environment.
		c.Hold.Wait(context.Background(), p.exited)
		drain()
		if readers.Add(-1) == 0 {
			close(p.drained)
		}
	}
	var before func([]byte) // called with each piece of standard error before it is shown
	if c.Consume != nil {
		out := &orderedPipe{from: pipes.out, take: p.taken.takePiece}
		before = func([]byte) { out.takeWritten() }
		go read(out.drain)
	} else {
		show := sink.streamWriter("stdout")
		go read(func() {
			drainOutput(pipes.out, p.stdout.addPiece, secrets.newStream(func(piece []byte) {
				p.printed.appendPiece(piece)
				show(piece)
			}))
		})
	}
	// The tails go into messages, so they take the masked bytes.
	show := sink.streamWriter("stderr")
	go read(func() {
		drainOutput(pipes.err, before, secrets.newStream(func(piece []byte) {
			p.stderr.appendPiece(piece)
			show(piece)
		}))
	})
}

// waitAfter is how long a process may keep its outputs open before a thread is
// set aside to wait for its end.
const waitAfter = 20 * time.Millisecond

// waitForLeader waits for the leader's end. Nearly all processes close their outputs by ending, so
// waiting for that first avoids blocking a thread for the end of most steps.
func (p *running) waitForLeader() {
	soon := time.NewTimer(waitAfter)
	select {
	case <-p.drained:
	case <-soon.C:
	}
	soon.Stop()
	p.end.ExitCode, p.end.Signal = p.child.Wait()
	children.removePID(p.pid)
	close(p.exited)
}

// supervise waits for the process, ends it when it must, and fills in its end.
func (p *running) supervise(ctx context.Context, limits Limits, interrupts bool) {
	defer p.record.markEnded()
	defer unguardCommand(p.pid, p.tag, p.contained)
	select {
	case <-p.exited:
	case <-ctx.Done():
		// Both may be true; what ended by itself was not stopped.
		select {
		case <-p.exited:
		default:
			p.end.Stopped = ctx.Err()
			if interrupts && interruptProcess(p.pid) {
				p.awaitExitOrOverflow(limits.Grace)
			}
			p.stopAll(limits.Grace)
		}
	case <-p.over:
		p.stopAll(limits.Grace)
	}
	<-p.exited
	p.waitForOutputs(ctx, limits)
	p.end.Stdout, p.end.Stderr, p.end.Consumed = p.stdout.bytes, p.stderr.String(), p.taken.err
	if p.end.ExitCode != 0 && p.end.Stderr == "" {
		p.end.Printed = p.printed.String()
	}
	if p.stdout.over {
		p.end.Overflow = limits.Output
	}
}

// waitForOutputs waits for the end of the outputs after the leader's end.
func (p *running) waitForOutputs(ctx context.Context, limits Limits) {
	select {
	case <-p.drained: // nearly always: the group ended with its leader
	default:
		linger := time.NewTimer(limits.Linger)
		defer linger.Stop()
		select {
		case <-p.drained:
		case <-linger.C:
			p.end.Lingered = true
			stopGroup(p.pid, limits.Grace, nil)
		case <-p.over:
			p.endRest(limits)
		case <-ctx.Done():
			p.endRest(limits)
		}
	}
	for _, f := range p.pipes {
		f.Close()
	}
	<-p.drained
	p.fed.stopAndWait()
}

// awaitExitOrOverflow waits for the end of the leader, at most so long, or until it printed too much.
func (p *running) awaitExitOrOverflow(most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-p.exited:
	case <-p.over:
	case <-timer.C:
	}
}

// endRest ends what a leader has left, and lets the readers come to the end: an interrupted
// agent reports before it ends.
func (p *running) endRest(limits Limits) {
	p.end.Lingered = isGroupAlive(p.pid)
	deadline := time.Now().Add(limits.Grace)
	stopGroup(p.pid, limits.Grace, nil)
	p.endStrays(limits.Grace, deadline)
	linger := time.NewTimer(limits.Linger)
	defer linger.Stop()
	select {
	case <-p.drained:
	case <-linger.C:
	}
}

// leastGrace is the least time between asking a process that has left the group to end and
// killing it.
const leastGrace = 500 * time.Millisecond

// stopAll ends the group, and what has left it, and returns when nothing of that is left, or
// when the leader has ended and the rest has been killed. What has left the group is asked
// after the leader's end, which may need it, and has what remains of the grace.
func (p *running) stopAll(grace time.Duration) {
	deadline := time.Now().Add(grace)
	stopGroup(p.pid, grace, p.exited)
	<-p.exited
	p.endStrays(grace, deadline)
}

// endStrays ends what has left the group and its session, once the group has ended.
func (p *running) endStrays(grace time.Duration, deadline time.Time) {
	endTag(p.tag, max(time.Until(deadline), min(grace, leastGrace)))
}

// lookAgain is the time between two looks at whether a group has ended.
const lookAgain = 5 * time.Millisecond

// stopGroup asks the group to end and kills it when it has not after the
// grace. exited, if not nil, is closed when its leader has ended; until then
// the group cannot have.
func stopGroup(group int, grace time.Duration, exited <-chan struct{}) {
	if !isGroupAlive(group) {
		return
	}
	terminateGroup(group)
	deadline := time.NewTimer(grace)
	defer deadline.Stop()
	if exited != nil {
		select {
		case <-exited:
		case <-deadline.C:
			killGroup(group)
			return
		}
	}
	look := time.NewTicker(lookAgain)
	defer look.Stop()
	for isGroupAlive(group) {
		select {
		case <-look.C:
		case <-deadline.C:
			killGroup(group)
			return
		}
	}
}

// children are the processes that this package started and has not waited for yet. Code
// that adopts the orphans of other processes must not wait for one of these: os/exec
// does.
var children registry

// A registry is a set of process numbers.
type registry struct {
	// starting is held for reading while a process starts and its number is not
	// in the set yet.
	starting sync.RWMutex
	pids     sync.Map // of int to struct{}
}

// startRegistered starts a command with a tag or 0, whose number is in the set until ended is called.
func (r *registry) startRegistered(cmd *exec.Cmd, tag uint64) error {
	defer tagSelf(tag)()
	return r.register(func() (int, error) {
		if err := cmd.Start(); err != nil {
			return 0, err
		}
		return cmd.Process.Pid, nil
	})
}

// register starts a process, whose number is in the set until it is removed.
func (r *registry) register(start func() (pid int, err error)) error {
	r.starting.RLock()
	defer r.starting.RUnlock()
	pid, err := start()
	if err == nil {
		r.pids.Store(pid, struct{}{})
	}
	return err
}

func (r *registry) removePID(pid int) { r.pids.Delete(pid) }

func (r *registry) hasPID(pid int) bool {
	_, ok := r.pids.Load(pid)
	return ok
}

// RunApart runs a prepared command to its end, like cmd.Run, in a separate session: the
// command and the processes that it starts have no controlling terminal.
func RunApart(cmd *exec.Cmd) error {
	ownSession(cmd)
	ended, err := StartProcess(cmd)
	if err != nil {
		return err
	}
	defer ended()
	return cmd.Wait()
}

// Detach makes a command start in a new session, so that it outlives this process and its
// terminal.
func Detach(cmd *exec.Cmd) { ownSession(cmd) }
