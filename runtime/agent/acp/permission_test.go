package acp_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
)

const (
	allowed = `{"outcome":{"optionId":"once","outcome":"selected"}}`
	denied  = `{"outcome":{"optionId":"no","outcome":"selected"}}`
)

// policies are the permissions, in the order in which they permit more.
var policies = []string{"safe", "edit", "all"}

func permitted(t *testing.T, permission string) *world {
	w := newWorld(t, fakeagent.Behaviour{Text: "."})
	w.choice.Permission = permission
	return w
}

func TestPermissions(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "x")
	tests := []struct {
		order string
		// from is the first of the permissions that permits it.
		from string
		hint string
	}{
		{"read", "safe", ""},
		{"read IN/x", "safe", ""},
		{"read " + outside, "all", "permission: all"},
		{"search", "safe", ""},
		{"think", "safe", ""},
		{"edit IN/x", "edit", "permission: edit"},
		{"edit IN/new/deep/x", "edit", "permission: edit"},
		{"edit x", "edit", "permission: edit"},
		{"delete IN/x", "edit", "permission: edit"},
		{"move IN/x", "edit", "permission: edit"},
		{"edit", "all", "permission: all"},
		{"edit IN/../x", "all", "permission: all"},
		{"edit " + outside, "all", "permission: all"},
		{"edit IN/link/x", "all", "permission: all"},
		{"edit IN/dangling", "all", "permission: all"},
		{"execute", "all", "permission: all"},
		{"fetch", "all", "permission: all"},
		{"other", "all", "permission: all"},
		{"of-tomorrow", "all", "permission: all"},
	}
	for level, permission := range policies {
		w := permitted(t, permission)
		w.file("x", "1")
		link(t, t.TempDir(), filepath.Join(w.request.WorkDir, "link"))
		link(t, filepath.Join(t.TempDir(), "nothing"), filepath.Join(w.request.WorkDir, "dangling"))
		var orders []string
		for _, test := range tests {
			orders = append(orders, "permission "+strings.ReplaceAll(test.order, "IN", w.request.WorkDir))
		}
		answers, notes := w.orders(orders)
		for i, test := range tests {
			may := slices.Index(policies, test.from) <= level
			want := denied
			if may {
				want = allowed
			}
			if !strings.Contains(answers[i], want) {
				t.Errorf("%s with %s: %s", test.order, permission, answers[i])
			}
			if may == strings.Contains(notes[i], "not permitted: ") || !may && !strings.Contains(notes[i], test.hint) {
				t.Errorf("%s with %s: notes %q", test.order, permission, notes[i])
			}
		}
	}
}

// orders gives the program orders in one turn, and returns what it answered to
// each, and what was noted meanwhile.
func (w *world) orders(list []string) (answers, notes []string) {
	w.t.Helper()
	const mark = "=|="
	var prompt strings.Builder
	for _, order := range list {
		prompt.WriteString("!" + order + "\n!say " + mark + "\n!print " + mark + "\n")
	}
	return strings.Split(w.ask(prompt.String()), mark), strings.Split(w.notes.String(), mark)
}

func link(t *testing.T, target, at string) {
	t.Helper()
	if err := os.Symlink(target, at); err != nil {
		t.Skip("no symbolic links: ", err)
	}
}

func TestFilesAreReadWithinTheWorkingDirectory(t *testing.T) {
	other := t.TempDir() // its name ends in 001, beside which the others are
	secret := filepath.Join(other, "secret")
	if err := os.WriteFile(secret, []byte("the secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, permission := range policies {
		w := permitted(t, permission)
		dir := w.request.WorkDir
		w.file("sub/lines", "one\ntwo\nthree")
		link(t, secret, filepath.Join(dir, "escape"))
		link(t, other, filepath.Join(dir, "folder"))
		link(t, filepath.Join("sub", "lines"), filepath.Join(dir, "within"))
		tests := [][2]string{
			{"read " + dir + "/sub/lines", `[{"content":"one\ntwo\nthree"}]`},
			{"read sub/lines 2 1", `[{"content":"two\n"}]`},
			{"read sub/lines 2 9", `[{"content":"two\nthree"}]`},
			{"read sub/lines 9 1", `[{"content":""}]`},
			{"read sub/../sub/lines 0 1", `[{"content":"one\n"}]`},
			{"read " + dir + "/within 3 1", `[{"content":"three"}]`},
			{"read " + dir + "/none", `[-32002 cannot read ` + dir + `/none: no such file or directory]`},
			{"read " + dir + "/sub", `cannot read ` + dir + `/sub: it is not a file]`},
			{"read " + dir + "/sub/lines/x 1 1", `cannot read ` + dir + `/sub/lines/x: not a directory]`},
		}
		orders := make([]string, len(tests))
		for i, test := range tests {
			orders[i] = test[0]
		}
		answers, _ := w.orders(orders)
		for i, test := range tests {
			if !strings.Contains(answers[i], test[1]) {
				t.Errorf("%s with %s: %s", test[0], permission, answers[i])
			}
		}
		escapes := []string{"read " + secret, "read " + dir + "/../001/secret", "read escape", "read " + dir + "/escape", "read folder/secret"}
		w.notes.Reset()
		answers, notes := w.orders(append(escapes, "read "+filepath.Join(other, "none")))
		for i, order := range escapes {
			open := strings.Contains(answers[i], "the secret")
			told := strings.Contains(answers[i], "[-32603 not permitted: read") && strings.Contains(notes[i], "not permitted: read ")
			if all := permission == "all"; open != all || told == all {
				t.Errorf("%s with %s: %s, notes %q", order, permission, answers[i], notes[i])
			}
		}
		// Whether there is a file elsewhere is not told either.
		if got := answers[len(escapes)]; strings.Contains(got, "not permitted") != (permission != "all") {
			t.Errorf("a missing file elsewhere with %s: %s", permission, got)
		}
	}
}

func TestFilesAreWrittenAsPermitted(t *testing.T) {
	for _, permission := range policies {
		w := permitted(t, permission)
		dir, other := w.request.WorkDir, t.TempDir()
		link(t, other, filepath.Join(dir, "folder"))
		link(t, filepath.Join(other, "made"), filepath.Join(dir, "dangling"))
		old := w.file("old", "old content")
		tests := []struct{ path, at, real string }{
			{old, "in", old},
			{dir + "/new/deep/file", "in", dir + "/new/deep/file"},
			{"relative", "in", dir + "/relative"},
			{dir + "/empty", "in", dir + "/empty"},
			{other + "/absolute", "out", other + "/absolute"},
			{dir + "/../" + filepath.Base(other) + "/up", "out", other + "/up"},
			{dir + "/folder/linked", "out", other + "/linked"},
			{dir + "/dangling", "out", other + "/made"},
		}
		var orders []string
		text := func(path string) string {
			return strings.TrimPrefix("new", strings.Repeat("new", strings.Count(path, "empty")))
		}
		for _, test := range tests {
			orders = append(orders, "write "+test.path+" "+text(test.path))
		}
		answers, notes := w.orders(orders)
		for i, test := range tests {
			content, err := os.ReadFile(test.real)
			wrote := err == nil && string(content) == text(test.path)
			may := permission == "all" || permission == "edit" && test.at == "in"
			if wrote != may || may != strings.Contains(answers[i], "[{}]") {
				t.Errorf("%s with %s: wrote %v: %s", test.path, permission, wrote, answers[i])
			}
			hint := map[string]string{"in": "permission: edit", "out": "permission: all"}[test.at]
			if !may && !strings.Contains(notes[i], hint) {
				t.Errorf("%s with %s: notes %q", test.path, permission, notes[i])
			}
		}
		if content, _ := os.ReadFile(old); permission == "safe" && string(content) != "old content" {
			t.Errorf("the file was changed to %q", content)
		}
	}
}

func TestArtifactsAreUsedAsPermitted(t *testing.T) {
	for level, permission := range policies {
		w := permitted(t, permission)
		w.request.ArtifactsDir = t.TempDir()
		dir, other := w.request.ArtifactsDir, t.TempDir()
		link(t, other, filepath.Join(dir, "folder"))
		link(t, filepath.Join(other, "made"), filepath.Join(dir, "dangling"))
		if err := os.WriteFile(filepath.Join(dir, "old"), []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		tests := []struct{ order, from, done string }{
			{"read " + dir + "/old", "safe", `[{"content":"old"}]`},
			{"permission read " + dir + "/old", "safe", allowed},
			{"write " + dir + "/deep/new x", "edit", "[{}]"},
			{"permission edit " + dir + "/new", "edit", allowed},
			{"write " + dir + "/folder/x x", "all", "[{}]"},
			{"permission edit " + dir + "/folder/x", "all", allowed},
			{"write " + dir + "/dangling x", "all", "[{}]"},
			{"permission edit " + dir + "/dangling", "all", allowed},
			{"write " + dir + "/../x x", "all", "[{}]"},
		}
		var orders []string
		for _, test := range tests {
			orders = append(orders, test.order)
		}
		answers, _ := w.orders(orders)
		for i, test := range tests {
			if may := slices.Index(policies, test.from) <= level; may != strings.Contains(answers[i], test.done) {
				t.Errorf("%s with %s: %s", test.order, permission, answers[i])
			}
		}
	}
	w := permitted(t, "edit")
	w.request.ArtifactsDir = filepath.Join(t.TempDir(), "missing")
	if got := w.ask("!write " + w.request.ArtifactsDir + "/x x"); !strings.Contains(got, "not permitted") {
		t.Errorf("in a missing folder: %s", got)
	}
}

func TestCommandsAreRunWhenAllIsPermitted(t *testing.T) {
	for _, permission := range policies[:2] {
		w := permitted(t, permission)
		if got := w.ask("!run echo hello"); !strings.Contains(got, "[-32603 not permitted: run echo]") || !strings.Contains(w.notes.String(), "permission: all") {
			t.Errorf("%s: %s", permission, got)
		}
	}
	w := permitted(t, "all")
	w.file("said", "from here")
	if got := w.ask("!run cat said"); !strings.Contains(got, `[{"exitCode":0}]`) || !strings.Contains(got, `"output":"from here"`) || !strings.Contains(got, "[{}]") || !strings.Contains(got, "unknown terminal `terminal-1`") {
		t.Errorf("got %s", got)
	}
	if got := w.ask("!run no-such-command"); !strings.Contains(got, "the program does not exist") {
		t.Errorf("got %s", got)
	}
	// Of a long output the end is kept.
	w.file("long", strings.Repeat("é", 500)+"end")
	if got := w.ask("!run cat long"); !strings.Contains(got, strings.Repeat("é", 48)+"end") || strings.Contains(got, strings.Repeat("é", 50)) || !strings.Contains(got, `"truncated":true`) {
		t.Errorf("got %s", got)
	}
	// A command that is left is ended with the turn.
	if got := w.ask("!leave sleep 3600"); !strings.Contains(got, `{"terminalId":"terminal-1"}`) {
		t.Errorf("got %s", got)
	}
}

func TestDenialsAreToldTogether(t *testing.T) {
	w := permitted(t, "safe")
	var warned []string
	w.request.Warn = func(message string) { warned = append(warned, message) }
	w.ask("!write a x\n!write a x\n!permission edit b\n!permission fetch\n!run ls")
	want := "it was not permitted to write a, use use edit [edit], use use fetch [fetch] and 1 more. Set `permission: all` of agent `tester` in wfc.yaml"
	if len(warned) != 1 || warned[0] != want {
		t.Errorf("warned %q, want %q", warned, want)
	}
}

func TestOpencodeIsMadeToAsk(t *testing.T) {
	for _, test := range []struct{ permission, set, want string }{
		{"safe", "", `{"edit":"ask","bash":"ask","webfetch":"ask","external_directory":"ask"}`},
		{"edit", "OPENCODE_PERMISSION=mine", "mine"},
		{"all", "", ""},
	} {
		w := permitted(t, test.permission)
		program := filepath.Join(t.TempDir(), "opencode")
		link(t, w.program, program)
		if test.set != "" {
			w.request.Environ = append(w.request.Environ, test.set)
		}
		// The link's name would make the fake another program.
		script := "#!/bin/sh\nexec " + w.program + "\n"
		os.Remove(program)
		if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		w.choice.Program = program
		if got := w.ask("!environ OPENCODE_PERMISSION"); got != test.want+"." && got != test.want+"\n\n." {
			t.Errorf("with %s: %q", test.permission, got)
		}
	}
}
