package testrun

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/checkout"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/internal/testfile"
	"github.com/wfc-lang/wfc/runtime/script"
	"github.com/wfc-lang/wfc/runtime/shell"
)

// performBash performs a bash script: by the test's result, or for real. A script without a result
// is run with nothing but builtins, plain tools and the stand-ins for commands.
func (a *action) performBash(p flow.Bash) flow.Result {
	w := a.world
	program, given := a.givenProgram("bash", w.test.Bash)
	if given && !program.Real {
		return a.cannedResult(program, p)
	}
	if !given && w.opt.NoPrograms {
		return w.failUnplayable(w.test.Place, "the test has no result for step `%s`", a.address)
	}
	missing, err := w.folder.prepareScript()
	if err != nil {
		return w.failUnplayable(w.test.Place, "%v", err)
	}
	result := (&shell.Performer{}).Perform(context.Background(), a.engineAttempt(a.Action, w.folder.scriptEnviron(given)))
	a.entry.Real = true
	for _, call := range missing.unmatchedCalls() {
		w.addFailure(call.placeInTest(w.test), "%s", call.message)
	}
	if names := missing.missingCommands(); len(names) > 0 && !given {
		name := stepkey.Unnumbered(a.address)
		w.addFailure(w.test.Place, "the script of step `%s` calls %s, for which the test has no stand-in; add `commands: {%s: …}`, or a result `bash: {%s: …}`, or run everything with `bash: {%s: real}`",
			a.address, quotedList(names), names[0], name, name)
	}
	return result
}

// performScript performs a script in another language. It runs only if the test says so: nobody
// knows the commands that it calls.
func (a *action) performScript(p flow.Script) flow.Result {
	w := a.world
	program, given := a.givenProgram("scripts", w.test.Scripts)
	switch {
	case !given:
		name := stepkey.Unnumbered(a.address)
		return w.failUnplayable(w.test.Place, "step `%s` runs a script with %s, but the test has no result for it; add `scripts: {%s: …}`, or run it with `scripts: {%s: real}`", a.address, p.Runtime, name, name)
	case !program.Real:
		return a.cannedResult(program, flow.Bash{})
	}
	if _, err := w.folder.prepareScript(); err != nil {
		return w.failUnplayable(w.test.Place, "%v", err)
	}
	a.entry.Real = true
	return (script.Performer{}).Perform(context.Background(), a.engineAttempt(a.Action, w.folder.scriptEnviron(true)))
}

// givenProgram returns the result that the test gives for a program.
func (a *action) givenProgram(what string, es testfile.Entries[[]testfile.Program]) (p testfile.Program, given bool) {
	w := a.world
	key, list := standIn(w, what, a.address, es)
	if list == nil {
		return p, false
	}
	n := w.used[key]
	w.used[key]++
	return list[min(n, len(list)-1)], true
}

// cannedResult is the result of a program that is not run.
func (a *action) cannedResult(p testfile.Program, bash flow.Bash) flow.Result {
	a.takes = p.Delay
	if p.Fail != "" {
		r := flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: p.Fail, Class: p.Class, Reason: process.ReasonExit, ExitCode: failCode(p)}}
		if bash.TextOnFailure {
			r.Text = process.Text([]byte(p.Output))
		}
		return r
	}
	if bash.Test {
		return flow.Result{Status: flow.Completed, Text: fmt.Sprint(p.Exit == 0)}
	}
	r := process.Result(describeAction(a.Action), &process.End{
		Stdout: []byte(p.Output), Stderr: strings.TrimSpace(p.Error), Printed: strings.TrimSpace(p.Output), ExitCode: p.Exit,
	}, nil, a.Timeout)
	if bash.TextOnFailure && r.Status == flow.Failed {
		r.Text = process.Text([]byte(p.Output))
	}
	return r
}

// failCode is the exit code of a program with a failure: -1 means that it has none.
func failCode(p testfile.Program) int {
	return cmp.Or(p.Exit, -1)
}

func quotedList(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

// A record is what stand-ins for commands have written down during a script.
type record struct{ dir string }

// An unmatchedCall is a call of a command for whose arguments there is no stand-in.
type unmatchedCall struct{ command, message string }

func (c unmatchedCall) placeInTest(t *testfile.Test) testfile.Place {
	for _, e := range t.Commands {
		if e.Key == c.command {
			return e.Place
		}
	}
	return t.Place
}

func (r record) readItems(name string) (items []string) {
	text, err := wholefile.Output.Read(filepath.Join(r.dir, name))
	if err != nil {
		return nil // nothing was written
	}
	for _, item := range strings.Split(string(text), "\x00") {
		if item != "" {
			items = append(items, item)
		}
	}
	return items
}

// missingCommands returns the commands that were not found, each once.
func (r record) missingCommands() (names []string) {
	names = plain.AddNew(names, r.readItems("missing")...)
	return names
}

func (r record) unmatchedCalls() (calls []unmatchedCall) {
	for _, item := range r.readItems("unmatched") {
		name, args, _ := strings.Cut(item, " ")
		calls = append(calls, unmatchedCall{name, fmt.Sprintf("the script called `%s %s`, and no stand-in has these arguments", name, args)})
	}
	return calls
}

// failIfChanged performs an action, and fails it if it changed a checkout that it must not
// change. Only a test whose folder is a repository has a checkout.
func (a *action) failIfChanged(perform func() flow.Result) flow.Result {
	w := a.world
	if !a.ReadOnly || !w.test.Git && (w.test.Stubs == nil || !w.test.Stubs.Exec) {
		return perform()
	}
	before, err := checkout.Read(context.Background(), w.info, w.folder.runGit)
	if err != nil {
		return checkout.Unknown(a.Key, err)
	}
	r := perform()
	if r.Status != flow.Completed {
		return r
	}
	after, err := checkout.Read(context.Background(), w.info, w.folder.runGit)
	if err != nil {
		return checkout.Unknown(a.Key, err)
	}
	return checkout.Unchanged(a.Key, before, after, r)
}
