package folder

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// wfc is the compiler, a program that is called.
type wfc struct{ program string }

// A report is what `wfc check --format json` says, but for its form.
type report struct {
	Summary struct {
		Errors   int `json:"errors"`
		Warnings int `json:"warnings"`
		Notes    int `json:"notes"`
	} `json:"summary"`
	Diagnostics []json.RawMessage `json:"diagnostics"`
}

// A workflow is a workflow file that can be run.
type workflow struct {
	Path        string  `json:"path" jsonschema:"the file, for workflow_run"`
	Name        string  `json:"name"`
	Description string  `json:"description,omitempty"`
	Inputs      []input `json:"inputs,omitempty"`
	Errors      int     `json:"errors,omitempty" jsonschema:"number of errors that prevent a run; workflow_validate shows them"`
}

// An input is an input of a workflow.
type input struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// A built workflow is a program.
type built struct {
	Program string `json:"program"`
	Name    string `json:"workflow"`
}

// checkFile reports what is wrong with a file, or with a text that would be in it.
func (w wfc) checkFile(ctx context.Context, path string, content *string) (*report, error) {
	args := []string{"check", "--format", "json", "--limit", "0"}
	var in io.Reader
	if content == nil {
		args = append(args, path)
	} else {
		args, in = append(args, "--stdin-filename", path, "-"), strings.NewReader(*content)
	}
	r := &report{}
	// Findings are the exit code 1, and an answer like any other.
	if err := w.runCommand(ctx, in, r, 1, args...); err != nil {
		return nil, err
	}
	if r.Diagnostics == nil {
		r.Diagnostics = []json.RawMessage{}
	}
	return r, nil
}

// buildProgram builds the program of a workflow for runs in a state folder, unless it is there.
func (w wfc) buildProgram(ctx context.Context, path, folder string) (built, error) {
	var b built
	err := w.runCommand(ctx, nil, &b, 0, "mcp-build", path, folder)
	return b, err
}

// listFiles returns the workflows in files and folders.
func (w wfc) listFiles(ctx context.Context, paths []string) ([]workflow, error) {
	var list struct{ Workflows []workflow }
	err := w.runCommand(ctx, nil, &list, 0, append([]string{"mcp-list"}, paths...)...)
	return list.Workflows, err
}

// runCommand calls wfc and decodes what it prints. Exit codes to the one that is given
// are answers; of others the error is what wfc says.
func (w wfc) runCommand(ctx context.Context, in io.Reader, out any, most int, args ...string) error {
	var said, printed bytes.Buffer
	cmd := exec.CommandContext(ctx, w.program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &printed, &said
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &exit) && exit.ExitCode() > most:
		if text := strings.TrimSpace(strings.TrimPrefix(said.String(), "wfc: ")); text != "" {
			return errors.New(text)
		}
		return fmt.Errorf("wfc %s ended with %d", args[0], exit.ExitCode())
	case err != nil && exit == nil:
		return fmt.Errorf("wfc: %w", err)
	}
	if err := json.Unmarshal(printed.Bytes(), out); err != nil {
		return fmt.Errorf("the output of wfc %s: %w", args[0], plain.JSONError(err, printed.String()))
	}
	return nil
}
