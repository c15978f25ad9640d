package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/shared/commandline"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/internal/shared/webserver"
)

// wfc links no store, so each workflow's own program queues its deliveries and starts its runs.
// With one workflow, wfc becomes its program. With several, wfc receives the requests at one
// address and passes each on to the program whose webhook has its path, by a socket that only
// this user can open; a sender gets the program's own answer.

// A listenRun is the command `wfc listen` with its flags.
type listenRun struct {
	*app
	flags              compileFlags
	address, cert, key string
	store              string
	// stdin stops wfc at the end of standard input: serve starts it so.
	stdin bool
}

// ownListenFlags are the flags of wfc; programs get all others.
var ownListenFlags = []string{"address", "cert", "key", "store"}

func listenCommand(a *app) *cobra.Command {
	l := &listenRun{app: a}
	cmd := &cobra.Command{
		Use:   "listen [FILE|NAME…]",
		Short: "Start runs when webhooks, files, branches or schedules say so",
		Long: `listen builds the workflows of the project that have triggers or a schedule in
wfc.yaml, and starts their runs until a signal comes. FILE is a workflow file, and NAME
the name of a workflow of the project; the default is all of them. The flags for runs are
those of their programs, which must have them: name the workflows if not all do.

All webhooks have one address. Paths of watched files start from the folder of wfc.yaml.

On SIGINT or SIGTERM, listen accepts nothing more and waits --drain for its runs. Then,
or on a second signal, it stops them where they are. The next listen resumes them.`,
		Example: "  wfc listen\n  wfc listen triage.yaml --address 0.0.0.0:8443 --cert cert.pem --key key.pem",
		RunE:    func(cmd *cobra.Command, args []string) error { return l.run(cmd, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&l.address, "address", "127.0.0.1:8480", "`ADDRESS` for webhooks and /healthz: host:port, or unix: and a path")
	flags.StringVar(&l.cert, "cert", "", "certificate `FILE` (PEM) for HTTPS; read again when it changes")
	flags.StringVar(&l.key, "key", "", "private key `FILE` (PEM) of the certificate")
	flags.Bool("standby", false, "while another process runs the triggers, wait and take over when it ends")
	flags.BoolVar(&l.stdin, "stdin", false, "stop at the end of standard input, too")
	_ = flags.MarkHidden("stdin") // there is such a flag
	flags.Int("parallel", 4, "maximum `RUNS` of each workflow that triggers start at once")
	flags.Duration("drain", time.Minute, "maximum wait for current runs after SIGTERM; 0: unlimited")
	flags.StringVar(&l.store, "store", "", storeUse())
	commandline.DeclareRunFlags(flags, "listen")
	cmd.MarkFlagsRequiredTogether("cert", "key")
	return cmd
}

// A listening is the program of a workflow, with the paths of its webhooks.
type listening struct {
	program, file string
	paths         []string
}

func (l *listenRun) run(cmd *cobra.Command, args []string) error {
	for i, arg := range args {
		file, err := l.projects.oneFile(arg)
		if err != nil {
			return err
		}
		args[i] = file
	}
	for _, path := range []*string{&l.cert, &l.key} {
		if abs, err := filepath.Abs(*path); err == nil && *path != "" { // else it doesn't open
			*path = abs
		}
	}
	passed := slices.DeleteFunc(passedFlags(cmd), func(flag string) bool { return slices.Contains(ownListenFlags, flagName(flag)) })
	programs, dir, err := l.programs(cmd, args, gen.Options{Main: true, LineDirectives: true, MoreKinds: kindsChosen(passed)})
	if err != nil {
		return err
	}
	if dir != "" {
		if err := os.Chdir(dir); err != nil {
			return err
		}
	}
	if len(programs) == 1 {
		own := []string{"listen", "--address=" + l.address}
		if l.cert != "" {
			own = append(own, "--cert="+l.cert, "--key="+l.key)
		}
		return execTarget(target{program: programs[0].program, called: programs[0].file}, append(own, passed...))
	}
	return l.serveAll(cmd.Context(), programs, passed)
}

// programs builds the programs of the workflows that start by themselves. dir is the folder of
// their wfc.yaml.
func (l *listenRun) programs(cmd *cobra.Command, args []string, opt gen.Options) (list []listening, dir string, err error) {
	outcomes, err := l.compileWorkflows(&l.flags, orCurrentFolder(args))
	if err != nil {
		return nil, "", err
	}
	owner, names, answers := map[string]string{}, map[string]bool{}, map[string]bool{}
	for _, o := range outcomes {
		if !o.isWorkflow() || o.result.HasErrors() {
			if err := l.refuseInvalid(o); err != nil {
				return nil, "", err
			}
			continue
		}
		w := o.result.Workflow
		if w != nil {
			names[w.Workflow.Name] = true
		}
		if w == nil || len(w.Triggers) == 0 && w.Workflow.Schedule == nil {
			if len(args) > 0 {
				return nil, "", &usageError{fmt.Errorf("%s has no trigger and no schedule: add `workflows: {\"%s\": {triggers: […]}}` to wfc.yaml", o.input.name, filepath.Base(o.input.path))}
			}
			continue
		}
		if storeFor(l.store, o.project.config.Config).Forgets {
			return nil, "", &usageError{errors.New("`store: memory` keeps nothing, so deliveries would be lost: use `sqlite` or `postgres` in wfc.yaml")}
		}
		one := listening{file: o.input.path}
		for _, t := range w.Triggers {
			if t.On.Webhook == "" {
				continue
			}
			if other := owner[t.On.Path]; other != "" && other != o.input.name && !(answers[t.On.Path] && len(t.Answer) > 0) {
				return nil, "", &usageError{fmt.Errorf("the path `%s` is that of a webhook of %s and of %s: change one in wfc.yaml", t.On.Path, other, o.input.name)}
			}
			owner[t.On.Path] = o.input.name
			answers[t.On.Path] = len(t.Answer) > 0
			one.paths = append(one.paths, t.On.Path)
		}
		dir = cmp.Or(dir, o.project.config.Dir)
		inBudget := func(_ context.Context, o outcome, _ bool) error {
			return checkBudgetPlace(o, l.store, dir, flagValue(cmd, "state"))
		}
		if one.program, err = l.cachedProgram(cmd, o, opt, l.store, true, inBudget); err != nil {
			return nil, "", err
		}
		list = append(list, one)
	}
	if len(args) == 0 && len(outcomes) > 0 {
		for _, t := range outcomes[0].project.config.ArchonTriggers() {
			if !names[t.Workflow] {
				fmt.Fprintf(l.Err, "wfc: warning: `%s` of %s starts nothing: no workflow here has the name `%s`\n", t.Setting, t.Span.File.Name, plain.Line(t.Workflow))
			}
		}
	}
	if len(list) == 0 {
		return nil, "", &usageError{errors.New("no workflow here has a trigger or a schedule: add `workflows: {\"PATH\": {triggers: […]}}` to wfc.yaml")}
	}
	return list, dir, nil
}

// serveAll runs the programs until a signal comes or one of them ends.
func (l *listenRun) serveAll(ctx context.Context, programs []listening, flags []string) error {
	sockets, err := os.MkdirTemp("", "wfc-listen-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(sockets)
	work, end := context.WithCancel(ctx)
	defer end()
	stopped, stop := context.WithCancel(work)
	defer stop()
	if l.stdin {
		go func() {
			_, _ = io.Copy(io.Discard, l.In) // its end counts, however it comes
			stop()
		}()
	}
	routes := map[string]http.Handler{}
	sharing := map[string][]string{}
	var parts sync.WaitGroup
	var children []*child
	for i, p := range programs {
		c := &child{name: filepath.Base(p.file), socket: filepath.Join(sockets, fmt.Sprint(i))}
		if err = c.start(work, l, p, flags); err != nil {
			stop()
			break
		}
		children = append(children, c)
		for _, path := range p.paths {
			sharing[path] = append(sharing[path], c.socket)
			routes[path] = webserver.Proxy(sharing[path]...)
		}
		parts.Go(func() {
			c.err = c.cmd.Wait()
			stop()
		})
		if len(p.paths) > 0 {
			c.awaitSocket(stopped)
		}
	}
	release := forwardSignals(stop, children)
	defer release()
	if err == nil {
		err = l.receive(stopped, routes)
	}
	end()
	parts.Wait()
	for _, c := range children {
		if c.err != nil && err == nil {
			err = fmt.Errorf("the program of %s ended: %w", plain.Line(c.name), c.err)
		}
	}
	if err != nil {
		return &exitError{ExitNotRun, err}
	}
	return nil
}

// A child is the program of a workflow at work.
type child struct {
	name, socket string
	cmd          *exec.Cmd
	err          error
}

// start starts the program, which stops at the end of work as it does on a signal.
func (c *child) start(work context.Context, l *listenRun, p listening, flags []string) error {
	c.cmd = exec.CommandContext(work, p.program, append([]string{"listen", "--stdin", "--address=unix:" + c.socket}, flags...)...)
	c.cmd.Env = append(os.Environ(), state.CallerVariable+"="+p.file)
	c.cmd.Stdout, c.cmd.Stderr = plain.Raw(l.Out), plain.Raw(l.Err)
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		return err
	}
	c.cmd.Cancel = func() error { return cmp.Or(stdin.Close(), os.ErrProcessDone) }
	if err := c.cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.program, err)
	}
	return nil
}

// awaitSocket waits until the program takes requests, or stopped ends.
func (c *child) awaitSocket(stopped context.Context) {
	const poll = 20 * time.Millisecond
	for stopped.Err() == nil {
		conn, err := new(net.Dialer).DialContext(stopped, "unix", c.socket)
		if err == nil {
			conn.Close()
			return
		}
		time.Sleep(poll)
	}
}

// forwardSignals calls stop on the first signal, and passes further ones on.
func forwardSignals(stop func(), children []*child) (release func()) {
	incoming := make(chan os.Signal, 4)
	signal.Notify(incoming, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-incoming // or it is closed
		stop()
		for sig := range incoming {
			for _, c := range children {
				_ = c.cmd.Process.Signal(sig) // it may have ended
			}
		}
	}()
	return func() {
		signal.Stop(incoming)
		close(incoming)
	}
}

// receive passes requests on until stopped ends.
func (l *listenRun) receive(stopped context.Context, routes map[string]http.Handler) error {
	listener, err := webserver.Open(stopped, l.address, l.cert, l.key)
	if err != nil {
		return err
	}
	server := &http.Server{
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 2 * time.Minute, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			route := routes[r.URL.Path]
			switch {
			case route != nil:
				route.ServeHTTP(w, r)
			case r.URL.Path == "/healthz":
				fmt.Fprintln(w, "ok")
			default:
				http.Error(w, "no webhook has this path", http.StatusNotFound)
			}
		}),
	}
	fmt.Fprintf(l.Err, "wfc: listening at %s for %s\n", listener.Addr(), strings.Join(slices.Sorted(maps.Keys(routes)), ", "))
	return webserver.Serve(stopped, server, listener, 10*time.Second)
}
