package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/cmd/wfc/search"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/testjob"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// testFromRecording adds a test made of a recording to the test file of its workflow, and
// runs it, which writes its golden transcript.
func (a *app) testFromRecording(cmd *cobra.Command, flags *compileFlags, recording string, args []string) error {
	name, err := recordedWorkflow(recording)
	if err != nil {
		return err
	}
	workflow, err := a.projects.workflowNamed(name, args)
	if err != nil {
		return err
	}
	path, err := filepath.Abs(recording)
	if err != nil {
		return err
	}
	job := testjob.Job{Recording: path, Files: []testjob.Source{{Path: path, Shown: recording, WorkflowPath: workflow}}}
	workflows, found, err := a.testedWorkflows(flags, job.Files)
	if err != nil {
		return err
	}
	job.Files = found
	ctx, stop := untilSignal(cmd.Context())
	defer stop()
	program, _, err := a.cachedTests(ctx, workflows, job.Files, false)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	err = performJob(ctx, testBinary{path: program}, job, &out, plain.Raw(a.Err))
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return silentExit(ended.ExitCode()) // the program has said why
	} else if err != nil {
		return fmt.Errorf("make the test: %w", err)
	}
	var made struct {
		Test  string
		Notes []string
	}
	if err := json.Unmarshal(out.Bytes(), &made); err != nil {
		return fmt.Errorf("make the test: %w", err)
	}
	file, test, err := addTest(displayPath(workflow), made.Test)
	if err != nil {
		return err
	}
	for _, note := range made.Notes {
		fmt.Fprintf(a.Err, "note: %s\n", plain.Line(note))
	}
	fmt.Fprintf(a.Out, "added the test `%s` to %s\n", plain.Line(test), plain.Line(file))
	base := strings.TrimSuffix(filepath.Base(file), search.TestSuffix)
	run := testjob.Job{Repeat: "wfc test", Count: 1, Format: "text", Update: true, Only: "^" + regexp.QuoteMeta(base+"/"+test) + "$"}
	return a.buildAndRunTests(cmd, flags, &run, &coverFlags{}, &mutateFlags{}, []string{file})
}

// recordedWorkflow returns the name of the workflow of a recording.
func recordedWorkflow(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read the recording: %w", err)
	}
	defer file.Close()
	line, _ := wholefile.Source.Line(bufio.NewReader(file), path) // a file of one line has no end of it
	var head struct {
		Version  int `json:"wfc_recording"`
		Workflow string
	}
	if json.Unmarshal(line, &head) != nil || head.Version == 0 || head.Workflow == "" {
		return "", fmt.Errorf("`%s` is not a recording; `run --record FILE` makes one", path)
	}
	return head.Workflow, nil
}

// workflowNamed returns the absolute path of the workflow with a name: the only argument
// that is a file, or else the only workflow in the folders that are arguments, or in the
// current one.
func (p *projects) workflowNamed(name string, args []string) (string, error) {
	args = orCurrentFolder(args)
	var found []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if arg, err = p.fileNamed(arg, "file or folder"); err != nil {
				return "", err
			}
			found = append(found, arg)
			continue
		case err != nil:
			return "", err
		case !info.IsDir():
			found = append(found, arg)
			continue
		}
		err = p.walkWorkflows(arg, func(path string) error {
			if workflowName(path) == name || topLevel(path, "workflow") == name || strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) == name {
				found = append(found, path)
			}
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("no workflow `%s` here; name its file: wfc test --from-recording FILE WORKFLOW", name)
	case 1:
		return filepath.Abs(found[0])
	}
	return "", fmt.Errorf("several files can be the workflow `%s`: %s; name one", name, strings.Join(found, ", "))
}

// addTest adds a test to the test file of a workflow, or makes the file, and returns its
// path and the name of the test. A name that the file has already gets a number.
func addTest(workflow, test string) (path, name string, err error) {
	places := testsOf(workflow)
	path = places[max(0, slices.IndexFunc(places, isFile))]
	before, err := wholefile.Output.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		before = []byte("tests:\n")
	case err != nil:
		return "", "", fmt.Errorf("read the test file: %w", err)
	}
	names, ok := testNames(path, before)
	if !ok && len(before) > len("tests:\n") {
		return "", "", fmt.Errorf("`%s` has faults; `wfc test %s` shows them", path, path)
	}
	first, _ := testNames(path, []byte("tests:\n"+test))
	name = first[0]
	for n := 2; slices.Contains(names, name); n++ {
		name = fmt.Sprintf("%s (%d)", first[0], n)
	}
	test = strings.Replace(test, "name: "+first[0]+"\n", "name: "+name+"\n", 1)
	text := strings.TrimRight(string(before), "\n") + "\n" + test
	if after, ok := testNames(path, []byte(text)); !ok || len(after) != len(names)+1 {
		return "", "", fmt.Errorf("cannot add a test at the end of `%s`: its last key must be `tests`, with items indented by two spaces", path)
	}
	if err := writeFile(path, []byte(text), search.TestRoot(workflow)); err != nil {
		return "", "", fmt.Errorf("write the test file: %w", err)
	}
	return filepath.ToSlash(path), name, nil
}

// testNames returns the names of the tests of a test file; ok is false if it is not YAML
// with a list of tests.
func testNames(path string, text []byte) (names []string, ok bool) {
	var faults diag.Bag
	doc := yamlsrc.Parse(source.NewFile(path, text), &faults)
	if doc == nil || doc.Root == nil || faults.HasErrors() {
		return nil, false
	}
	tests := doc.Root.Get("tests")
	if tests == nil || len(tests.Items) == 0 {
		return nil, false
	}
	for _, t := range tests.Items {
		name := ""
		if n := t.Get("name"); n != nil {
			name = n.Value
		}
		names = append(names, name)
	}
	return names, true
}
