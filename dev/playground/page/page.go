// Package page makes the page of the playground: one file with the checker, the examples and
// everything else, so that it needs no server.
package page

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

var (
	//go:embed page.html
	frame string
	//go:embed page.js
	script string
)

// An example is a workflow to begin with.
type example struct {
	Dialect string `json:"dialect"`
	Title   string `json:"title"`
	// File is its path in the repository's folder of examples.
	File string `json:"file"`
	Text string `json:"text"`
	// change has strings to replace, each followed by its replacement.
	change []string
}

// examples are the workflows of the page. They need no other file. The first one has
// mistakes; the others have no findings, which a test checks.
var examples = []example{
	{Dialect: "archon", Title: "classify an issue, with mistakes", File: "triage/triage.yaml", change: []string{
		"classify.output.kind == 'bug'", "classify.output.kidn == 'bug'", "depends_on: [classify, fetch]\n    when: $classify.output.kind == 'feature'", "depends_on: [clasify, fetch]\n    when: $classify.output.kind == 'feature'",
		"trigger_rule: none_failed_min_one_success", "trigger_rules: none_failed_min_one_success",
	}},
	{Dialect: "archon", Title: "classify an issue", File: "triage/triage.yaml"},
	{Dialect: "xprompt", Title: "extract a list", File: "extract/extract.yml"},
	{Dialect: "graphloop", Title: "write, review and correct", File: "postmortem/postmortem.yaml"},
	{Dialect: "lango", Title: "a digest of the week", File: "digest/digest.yaml", change: []string{
		"deliver_to: [\"webhook:team\"]\n", "", "    deliver_to: [\"webhook:oncall\"]\n", "", "agent: writer", "agent: planner",
	}},
}

// Write writes the page to a file. repository is the folder of the repository. The page is the
// same for the same sources and toolchain.
func Write(ctx context.Context, repository, path string) error {
	program, err := compile(ctx, repository)
	if err != nil {
		return err
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("find Go: %w", err)
	}
	support, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	list, err := read(repository)
	if err != nil {
		return err
	}
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	page := strings.NewReplacer(
		"{{examples}}", string(text), "{{program}}", base64.StdEncoding.EncodeToString(program),
		"{{support}}", string(support), "{{script}}", script,
	).Replace(frame)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(page), 0o644)
}

// read reads the examples.
func read(repository string) ([]example, error) {
	var list []example
	for _, x := range examples {
		content, err := os.ReadFile(filepath.Join(repository, "examples", filepath.FromSlash(x.File)))
		if err != nil {
			return nil, err
		}
		for i := 0; i < len(x.change); i += 2 {
			if !bytes.Contains(content, []byte(x.change[i])) {
				return nil, fmt.Errorf("examples/%s does not contain %q", x.File, x.change[i])
			}
		}
		x.Text, x.File = strings.NewReplacer(x.change...).Replace(string(content)), filepath.Base(x.File)
		list = append(list, x)
	}
	return list, nil
}

// compile returns the checker, compressed.
func compile(ctx context.Context, repository string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "playground-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "wfc.wasm")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", path, "./playground")
	cmd.Dir, cmd.Env = filepath.Join(repository, "dev"), append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compile the checker: %w\n%s", err, out)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(program); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}
