//go:build unix

package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A stranger's checkout names a program wherever git, interpreters, package managers and
// agents look for one. Whatever starts it leaves a line in the file of its marks.
type strangersCheckout struct {
	t                       *testing.T
	dir, mark, marks, tools string
}

// programKeys are the keys of a git configuration whose values git runs.
var programKeys = strings.Fields(`core.fsmonitor core.pager core.editor core.sshCommand core.gitProxy core.askPass core.alternateRefsCommand
	sequence.editor diff.external diff.any.command diff.any.textconv diff.guitool difftool.any.cmd difftool.any.path merge.any.driver mergetool.any.cmd
	filter.any.clean filter.any.smudge filter.any.process credential.helper gpg.program gpg.openpgp.program gpg.ssh.program gpg.x509.program
	gpg.ssh.defaultKeyCommand interactive.diffFilter tar.tar.command tar.any.command remote.origin.uploadpack remote.origin.receivepack
	uploadpack.packObjectsHook receive.procReceiveRefs trailer.any.command trailer.any.cmd browser.any.cmd man.any.cmd guitool.any.cmd
	sendemail.smtpServer imap.tunnel gc.recentObjectsHook hook.any.command`)

// otherKeys make git more likely to run them.
var otherKeys = map[string]string{
	"filter.any.required": "true", "diff.any.cachetextconv": "false", "log.showSignature": "true", "status.submoduleSummary": "true", "diff.submodule": "log",
	"protocol.allow": "always", "protocol.ext.allow": "always", "core.repositoryFormatVersion": "1", "extensions.partialClone": "origin",
	"remote.origin.promisor": "true", "remote.origin.partialCloneFilter": "blob:none", "fetch.recurseSubmodules": "true", "submodule.recurse": "true",
	"core.untrackedCache": "true", "core.splitIndex": "true", "feature.manyFiles": "true", "core.autocrlf": "input", "hook.any.event": "post-index-change",
}

var gitCommands = strings.Fields("archive cat-file config diff diff-index fetch log ls-files ls-tree merge-base rev-list rev-parse show status symbolic-ref worktree")

var gitHooks = strings.Fields("post-index-change reference-transaction fsmonitor-watchman fsmonitorv2 pre-commit post-checkout pre-auto-gc post-merge sendemail-validate")

func newStrangersCheckout(t *testing.T) *strangersCheckout {
	base := t.TempDir()
	s := &strangersCheckout{t: t, dir: filepath.Join(base, "checkout"), mark: filepath.Join(base, "mark"), marks: filepath.Join(base, "marks"), tools: filepath.Join(base, "tools")}
	s.program(s.mark)
	s.write("flows/a.yaml", "name: a\ndescription: d\nnodes:\n  - id: one\n    bash: echo hi\n  - id: two\n    runtime: uv\n    script: |\n      import json\n      print(json.dumps(1))\n  - id: three\n    prompt: Hello\n")
	s.write("flows/b.yaml", "name: b\ndescription: d\nnodes:\n  - id: one\n    command: ask\n")
	s.write(".archon/commands/ask.md", "Ask.\n")
	s.write("flows/a.test.yaml", "tests:\n  - name: it runs\n    scripts: {one: hi, two: '1'}\n    agents: {three: hello}\n")
	s.write(".gitattributes", "* filter=any diff=any merge=any ident\n")
	s.git("init", "-q", "-b", "main", ".")
	s.git("add", "-A")
	s.git("commit", "-qm", "first")
	s.write("flows/a.yaml", strings.Replace(s.read("flows/a.yaml"), "echo hi", "echo ho", 1))
	s.git("commit", "-qam", "second")
	s.git("tag", "v1")
	s.write("flows/b.yaml", s.read("flows/b.yaml")+"# more\n")
	s.write("flows/new.yaml", strings.Replace(s.read("flows/b.yaml"), "name: b", "name: new", 1))

	s.write(".git/info/attributes", "* filter=any diff=any merge=any\n")
	for _, name := range gitHooks {
		s.program(filepath.Join(s.dir, ".git", "hooks", name))
	}
	included := "[include]\n\tpath = more\n[remote \"origin\"]\n\turl = \"ext::" + s.mark + " remote\"\n"
	for _, name := range gitCommands {
		included += fmt.Sprintf("[alias]\n\t%s = !%s alias\n[pager]\n\t%s = %s pager\n", name, s.mark, name, s.mark)
	}
	s.write(".git/config", s.read(".git/config")+included)
	config := map[string]string{"core.hooksPath": filepath.Join(s.dir, ".git", "hooks"), "submodule.any.update": "!" + s.mark, "remote.origin.vcs": "any"}
	for _, key := range programKeys {
		config[key] = s.mark + " " + key
	}
	for key, value := range otherKeys {
		config[key] = value
	}
	for key, value := range config {
		s.git("config", "--file", ".git/more", key, value)
	}

	// Programs and modules for whoever looks in the current folder.
	for _, dir := range []string{"", "bin", "node_modules/.bin"} {
		for _, name := range strings.Fields("git git-remote-any bash sh env python3 go gofmt node bun uv claude codex gemini copilot xdg-open ps") {
			s.program(filepath.Join(s.dir, dir, name))
		}
	}
	python := fmt.Sprintf("import os\nos.system(%q)\n", s.mark+" python")
	for _, name := range strings.Fields("sitecustomize usercustomize json ast sys io tokenize warnings os encodings") {
		s.write(name+".py", python)
	}
	s.write("preload.js", fmt.Sprintf("require('child_process').execFileSync(%q, ['js'])\n", s.mark))
	s.write("bunfig.toml", "preload = [\"./preload.js\"]\n")
	s.write(".npmrc", "node-options=--require ./preload.js\nscript-shell="+s.mark+"\n")
	s.write("package.json", fmt.Sprintf("{\"scripts\": {\"preinstall\": %q}}\n", s.mark))
	s.write(".bashrc", s.mark+" bashrc\n")
	s.write("go.mod", "module example.com/x\n\ngo 1.99\n\ntoolchain go1.99.1\n")
	s.write("go.work", "go 1.99\n\nuse .\n")
	s.write("go.env", "GOFLAGS=-toolexec="+s.mark+"\nCC="+s.mark+"\n")
	s.write(".claude/settings.json", fmt.Sprintf("{\"apiKeyHelper\": %q}\n", s.mark))

	// These tools begin with a program of their current folder, as those do that select versions
	// or load plugins.
	for _, name := range strings.Fields("git bash python3 go claude codex") {
		real, err := exec.LookPath(name)
		if err != nil {
			real = "echo 2.1.150;:"
		}
		s.script(filepath.Join(s.tools, name), fmt.Sprintf("if [ -x ./mark-tool ]; then ./mark-tool %s; fi\nPATH=${PATH#%s:}\nexec %s \"$@\"\n", name, s.tools, real))
	}
	s.program(filepath.Join(s.dir, "mark-tool"))
	return s
}

// program writes a program that leaves a mark, and otherwise acts as a filter does.
func (s *strangersCheckout) program(path string) {
	s.script(path, "echo \"$0 $*\" >> "+s.marks+"\n[ \"$1\" = remote ] || cat 2>/dev/null || true\n")
}

func (s *strangersCheckout) script(path, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		s.t.Fatal(err)
	}
}

func (s *strangersCheckout) write(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *strangersCheckout) read(name string) string {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(name)))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

func (s *strangersCheckout) git(args ...string) {
	s.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
	cmd.Dir = s.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("git %s: %v\n%s", args, err, out)
	}
}

// marked returns the programs that ran since the last call.
func (s *strangersCheckout) marked() string {
	text, err := os.ReadFile(s.marks)
	if err == nil {
		err = os.Remove(s.marks)
	}
	if err != nil && !os.IsNotExist(err) {
		s.t.Fatal(err)
	}
	return string(text)
}

// No command that people use to look at a stranger's checkout starts a program of it.
func TestStrangersCheckout(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("this test needs git")
	}
	s := newStrangersCheckout(t)
	for _, args := range [][]string{{"status"}, {"diff", "--stat"}, {"archive", "--output=" + os.DevNull, "HEAD"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = s.dir
		if _ = cmd.Run(); s.marked() == "" {
			t.Errorf("git %s starts no program of the checkout, so this test proves nothing", args)
		}
	}
	editor := ""
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"rootUri":"file://` + s.dir + `","capabilities":{}}}`,
		`{"jsonrpc":"2.0","method":"initialized","params":{}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file://` + s.dir + `/flows/a.yaml","languageId":"yaml","version":1,"text":"name: a\ndescription: d\nnodes:\n  - {id: one, bash: echo hi}\n"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"textDocument/completion","params":{"textDocument":{"uri":"file://` + s.dir + `/flows/a.yaml"},"position":{"line":3,"character":6}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"shutdown"}`, `{"jsonrpc":"2.0","method":"exit"}`,
	} {
		editor += fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(message), message)
	}
	type command struct {
		code  int
		args  string
		input string
		// builds says that the command builds a program.
		builds bool
	}
	commands := []command{
		{args: "check"}, {args: "check --fix --diff"}, {args: "check --changed"}, {args: "check --changed=HEAD~1"}, {args: "check --format github"},
		{args: "diff HEAD~1"}, {args: "diff HEAD~1 HEAD"}, {args: "diff HEAD~1:flows/a.yaml flows/a.yaml"}, {args: "diff flows/a.yaml flows/b.yaml"},
		{args: "graph flows/a.yaml"}, {args: "init review new"}, {args: "lsp", input: editor}, {args: "doctor", code: -1},
		{args: "gen flows/b.yaml -o gen/b"}, {args: "explain WFC203"}, {args: "test", builds: true}, {args: "list", builds: true},
		{args: "run flows/a.yaml --dry-run", builds: true}, {args: "add ./flows@v1", code: 2}, {args: "add ./flows", code: 2}, {args: "add --check", code: 1},
	}
	state := t.TempDir()
	path := s.tools + string(os.PathListSeparator) + os.Getenv("PATH")
	run := func(c command, path string) {
		t.Helper()
		if c.builds && testing.Short() {
			return
		}
		args := strings.Fields(c.args)
		cmd := exec.Command(os.Args[0], args...)
		cmd.Dir, cmd.Stdin = s.dir, strings.NewReader(c.input)
		cmd.Env = append(os.Environ(), "WFC_TEST_AS_WFC=1", "PATH="+path, "PWD="+s.dir, "GOPROXY=off", "XDG_STATE_HOME="+state, "WFC_STATE=")
		out, err := cmd.CombinedOutput()
		if marks := s.marked(); marks != "" {
			t.Errorf("wfc %s started programs of the checkout:\n%s", c.args, marks)
		}
		if code := cmd.ProcessState.ExitCode(); c.code != -1 && code != c.code {
			t.Errorf("wfc %s: %v\n%s", c.args, err, out)
		}
	}
	for _, c := range commands {
		run(c, path)
	}
	for _, c := range commands {
		c.code = -1
		run(c, ".:bin:node_modules/.bin::"+path)
	}
	// git would fetch what a partial clone lacks.
	if err := os.RemoveAll(filepath.Join(s.dir, ".git", "objects")); err != nil {
		t.Fatal(err)
	}
	s.git("init", "-q")
	s.marked()
	for _, c := range commands {
		if c.code = 2; strings.Contains(c.args, "HEAD") || strings.Contains(c.args, "--changed") || strings.Contains(c.args, "flows@") {
			run(c, path)
		}
	}
}
