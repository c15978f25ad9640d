package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/wfc-lang/wfc/internal/shared/commandline"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/desk"
	"github.com/wfc-lang/wfc/runtime/internal/human"
)

// Pages returns the value for the field Serve of a Program. server is serve.Pages(), of package
// runtime/serve. Only a program that calls Pages contains the code that reads runs for pages. With
// temporal.Cluster(), the pages can also show the runs of a cluster.
func Pages(server engine.Extension, clusters ...engine.Extension) engine.Extension {
	s, ok := server.(desk.Server)
	if !ok {
		panic("cli.Pages needs serve.Pages()")
	}
	return servedPages{s, clusters}
}

// servedPages connects a server of pages to the stores of a program.
type servedPages struct {
	desk.Server
	clusters []engine.Extension
}

// A pageServer is the value of Program.Serve. The interface keeps the code behind it out of
// programs that don't call Pages.
type pageServer interface {
	serveRuns(ctx context.Context, a *app, f serveFlags) error
	addUser(ctx context.Context, a *app, f serveFlags) error
}

// serveFlags are the flags of serve.
type serveFlags struct {
	desk.Options
	// listen also runs the triggers and schedules.
	listen bool
	places []string
	// cluster names the namespaces to show.
	cluster clusterFlags
	// wfc is the program wfc that called this one, or "". account adds the state folders of the
	// account.
	wfc     string
	account bool
	// addUser is the name of a user to add instead of serving, with roles.
	addUser string
	roles   []string
	// stdin ends the server at the end of its standard input.
	stdin bool
}

func (a *app) serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Show runs in a browser, and answer them",
		Long: "Show the runs in this program's store in a browser, with the questions that wait for you and\nwhat each run costs. " +
			"You can answer questions, and start, cancel and resume runs.\n\n" +
			serveHelp,
		Args: commandline.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			pages, ok := a.program.Serve.(pageServer)
			if !ok {
				return usageError("this program was built without pages; `wfc build --serve %s` builds one with them, and `wfc serve` shows the runs of all workflows", plain.ShellWord(a.program.Definition.Source))
			}
			if f.addUser != "" {
				return pages.addUser(cmd.Context(), a, f)
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			if f.stdin {
				go func() {
					_, _ = io.Copy(io.Discard, a.streams.In) // any end is one
					stop()
				}()
			}
			return pages.serveRuns(ctx, a, f)
		},
	}
	cmd.Flags().StringVar(&f.Address, "address", "127.0.0.1:8490", "")
	cmd.Flags().StringVar(&f.Metrics, "metrics", "", "")
	cmd.Flags().BoolVar(&f.listen, "listen", false, "")
	cmd.Flags().StringArrayVar(&f.places, "store", nil, "")
	cmd.Flags().StringVar(&f.Users, "users", "", "")
	cmd.Flags().StringVar(&f.addUser, "add-user", "", "")
	cmd.Flags().StringSliceVar(&f.roles, "roles", nil, "")
	cmd.Flags().StringVar(&f.Cert, "tls-cert", "", "")
	cmd.Flags().StringVar(&f.Key, "tls-key", "", "")
	cmd.MarkFlagsRequiredTogether("tls-cert", "tls-key")
	cmd.Flags().StringVar(&f.wfc, "wfc", "", "")
	cmd.Flags().BoolVar(&f.account, "account", false, "")
	cmd.Flags().BoolVar(&f.stdin, "stdin", false, "")
	hidden := []string{"wfc", "account", "stdin"}
	if a.program.Cluster == nil { // the program that wfc calls; others have flags of all commands
		cmd.Flags().StringVar(&f.cluster.at.Address, "temporal", "", "")
		cmd.Flags().StringArrayVar(&f.cluster.namespaces, "namespace", nil, "")
		cmd.Flags().BoolVar(&f.cluster.at.TLS, "tls", false, "")
		cmd.Flags().StringVar(&f.cluster.at.Blobs, "blobs", "", "")
		hidden = append(hidden, "temporal", "namespace", "tls", "blobs")
	}
	for _, name := range hidden {
		cmd.Flags().Lookup(name).Hidden = true
	}
	return cmd
}

// serveHelp is what the help says about who can use the pages.
const serveHelp = "The address that the command prints has a token, so that nobody else on this machine\ngets in. A new start makes a new token. Only this machine can reach the pages.\n\n" +
	"With --users, people sign in, and have the roles of the file; --add-user adds one. Then\nother machines can reach the pages, if you give --tls-cert or name a proxy in the file."

// addUser adds a user to the file of users.
func (p servedPages) addUser(ctx context.Context, a *app, f serveFlags) error {
	if f.Users == "" || len(f.roles) == 0 {
		return usageError("`--add-user` needs `--users FILE` and `--roles`, such as `--roles operator,approver`")
	}
	password, err := a.readPassword(ctx)
	if err != nil {
		return failedError(err)
	}
	var roles []actions.Role
	for _, r := range f.roles {
		roles = append(roles, actions.Role(r))
	}
	if err := p.AddUser(f.Users, f.addUser, roles, password); err != nil {
		return failedError(err)
	}
	fmt.Fprintf(a.streams.Err, "%s: %s may sign in\n", f.Users, plain.Line(f.addUser))
	return nil
}

// readPassword reads a new password: typed twice at a terminal, or the first line of the input. It is
// never an argument, because everybody can read the command lines of processes.
func (a *app) readPassword(ctx context.Context) (string, error) {
	in, ok := a.streams.In.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		line, err := wholefile.Output.Line(bufio.NewReader(a.streams.In), "the password")
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		return strings.TrimRight(string(line), "\r\n"), ctx.Err()
	}
	ask := func(prompt string) (string, error) {
		fmt.Fprint(a.streams.Err, prompt)
		text, err := term.ReadPassword(int(in.Fd()))
		fmt.Fprintln(a.streams.Err)
		return string(text), err
	}
	first, err := ask("password: ")
	if err != nil {
		return "", err
	}
	if again, err := ask("again: "); err != nil || again != first {
		return "", cmp.Or(err, errors.New("the passwords differ; nobody was added"))
	}
	return first, nil
}

// serveRuns serves pages until ctx ends.
func (p servedPages) serveRuns(ctx context.Context, a *app, f serveFlags) error {
	d := &runDesk{call: a.call, wfcProgram: f.wfc, account: f.account, definitions: map[string]*flow.Definition{}}
	inClusters, err := p.namespacePlaces(d, f.cluster)
	if err != nil {
		return err
	}
	names := f.places
	if len(names) == 0 && !f.account && len(inClusters) == 0 {
		names = []string{""}
	}
	for _, name := range names {
		found, err := d.newPlace(name)
		if err != nil {
			return err
		}
		d.addPlace(found)
	}
	for _, found := range inClusters {
		d.addPlace(found)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	wait := func() {}
	if f.listen {
		if f.Hooks, wait, err = d.startTriggers(ctx, stop); err != nil {
			return failedError(err)
		}
	}
	f.Person, f.Listening = human.User(), func(address string) { fmt.Fprintf(a.streams.Err, "%s: open %s\n", a.name, address) }
	err = p.Serve(ctx, d, f.Options)
	if cause := context.Cause(ctx); err == nil && cause != nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	stop(nil)
	wait()
	return failedError(err)
}
