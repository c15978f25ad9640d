package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/wfc-lang/wfc/cmd/wfc/starter"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// Questions of `wfc init`.
//
// They decide about files that a person can delete, so they need none of the protection
// of gates, whose terminal is internal to the runtime.

// errLeft ends the questions: the person typed Ctrl-D.
var errLeft = errors.New("nothing was written")

// A questioner asks a person at a terminal.
type questioner struct {
	in  *bufio.Reader
	out io.Writer
}

// newQuestioner returns the person at the terminal, if there is one.
func (a *app) newQuestioner() (*questioner, bool) {
	in, ok := a.In.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return nil, false
	}
	if out, ok := plain.File(a.Err); !ok || !term.IsTerminal(int(out.Fd())) {
		return nil, false
	}
	return &questioner{bufio.NewReader(in), a.Err}, true
}

// ask asks until accept takes the answer. An empty answer is the default.
func (q *questioner) ask(question, preset string, accept func(answer string) error) error {
	for {
		fmt.Fprintf(q.out, "%s (Enter for %s): ", question, preset)
		line, err := wholefile.Source.Line(q.in, "standard input")
		if err != nil {
			fmt.Fprintln(q.out)
			return errLeft
		}
		answer := cmp.Or(strings.TrimSpace(string(line)), preset)
		wrong := accept(answer)
		if wrong == nil {
			return nil
		}
		fmt.Fprintln(q.out, plain.Message(wrong.Error()))
	}
}

// askChoice asks for one of some words.
func (q *questioner) askChoice(question string, words []string, preset string) (chosen string, err error) {
	err = q.ask(question, preset, func(answer string) error {
		if !slices.Contains(words, answer) {
			return fmt.Errorf("please answer with one of %s%s", strings.Join(words, ", "), plain.DidYouMean(answer, words))
		}
		chosen = answer
		return nil
	})
	return chosen, err
}

// askYesNo asks a question whose answer is yes or no.
func (q *questioner) askYesNo(question string, preset bool) (yes bool, err error) {
	word := map[bool]string{true: "yes", false: "no"}[preset]
	err = q.ask(question, word, func(answer string) error {
		switch strings.ToLower(answer) {
		case "y", "yes":
			yes = true
		case "n", "no":
			yes = false
		default:
			return errors.New("please answer with yes or no")
		}
		return nil
	})
	return yes, err
}

// askOptions asks for the template, and for the other choices that no flag makes. It returns the
// folder.
func (i *initRun) askOptions(cmd *cobra.Command, o *starter.Options) (folder string, err error) {
	q, ok := i.newQuestioner()
	if !ok {
		return "", fmt.Errorf("`wfc init` needs a template: %s\nsee `wfc init --list`", strings.Join(starter.Names(), ", "))
	}
	all := starter.Templates()
	for n, t := range all {
		fmt.Fprintf(q.out, "%d  %-10s %-10s %s\n", n+1, t.Name, t.Dialect, t.Description)
	}
	err = q.ask("Which template? Number or name", all[0].Name, func(answer string) (err error) {
		if n, bad := strconv.Atoi(answer); bad == nil && n >= 1 && n <= len(all) {
			answer = all[n-1].Name
		}
		if o.Template, err = templateNamed(answer); err != nil {
			wrong, _, _ := strings.Cut(err.Error(), "\n")
			return fmt.Errorf("%s\nplease answer with a name, or with a number from 1 to %d", wrong, len(all))
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	if err = q.ask("Which folder?", ".", func(answer string) error { folder = answer; return nil }); err != nil {
		return "", err
	}
	if o.Agent == "" {
		agents := starter.AgentNames()
		preset, found := starter.InstalledAgent()
		note := ""
		if found {
			note = "; " + preset + " is on PATH"
		}
		if o.Agent, err = q.askChoice(fmt.Sprintf("Which agent answers the prompts? One of %s%s", strings.Join(agents, ", "), note), agents, preset); err != nil {
			return "", err
		}
	}
	if !cmd.Flags().Changed("ci") {
		if o.CI, err = q.askYesNo("Add a CI file for GitHub Actions? yes or no", true); err != nil {
			return "", err
		}
	}
	if !cmd.Flags().Changed("go") {
		if o.Go, err = q.askYesNo("Add generate.go, to generate Go code from the workflow? yes or no", false); err != nil {
			return "", err
		}
	}
	fmt.Fprintln(q.out)
	return folder, nil
}
