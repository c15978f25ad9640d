package cli

import (
	"bufio"
	"debug/buildinfo"
	neturl "net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit"
)

// A program with the store PostgreSQL links its driver and not SQLite.
func TestPostgresProgram(t *testing.T) {
	testkit.SkipBuild(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "wfc.yaml"), "store: postgres\n")
	write(t, filepath.Join(dir, "flow.yaml"), "name: flow\ndescription: d\nnodes:\n  - id: a\n    bash: echo $((6*7))\n")
	program := filepath.Join(dir, "flow.exe")
	if code, _, messages := wfcCommand(t, dir, []string{"GOPROXY=off"}, "build", "flow.yaml", "-o", program); code != ExitClean {
		t.Fatalf("exit code %d\n%s", code, messages)
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{}
	for _, module := range info.Deps {
		linked[module.Path] = true
	}
	if !linked["github.com/jackc/pgx/v5"] || linked["modernc.org/sqlite"] {
		t.Errorf("the program links %v", linked)
	}
	cmd := exec.Command(program, "list")
	cmd.Env = append(os.Environ(), "WFC_DATABASE_URL=postgres://wfc:hush-hush@127.0.0.1:1/none", "WFC_STATE="+dir)
	text, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(text), "postgres://wfc@127.0.0.1:1/none: the server cannot be reached") || strings.Contains(string(text), "hush") {
		t.Errorf("without a server: %v\n%s", err, text)
	}
}

// newDatabase starts a PostgreSQL server, and returns the URL of a database without its password, and
// the password.
func newDatabase(t *testing.T) (url, password string) {
	t.Helper()
	server := filepath.Join(t.TempDir(), "pgserver.exe")
	if text, err := exec.Command("go", "build", "-o", server, "github.com/wfc-lang/wfc/runtime/internal/pgtest/pgserver").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	cmd := exec.Command(server)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var messages strings.Builder
	cmd.Stderr = &messages
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = cmd.Wait()
		t.Skipf("no PostgreSQL: %s", messages.String())
	}
	u, err := neturl.Parse(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	password, _ = u.User.Password()
	u.User = neturl.User(u.User.Username())
	return u.String(), password
}

// On a machine where nothing has run yet, the lists of all projects have the runs of the project's
// database and of one that is named. Projects that share a database have each run once, and programs
// use the database that wfc.yaml names later.
func TestDatabaseOfAllProjects(t *testing.T) {
	testkit.SkipBuild(t)
	url, password := newDatabase(t)
	dir := t.TempDir()
	calls := func(from, home string, want int, env []string, args ...string) (out, messages string) {
		t.Helper()
		env = append([]string{"GOPROXY=off", "PGPASSWORD=" + password, "WFC_STATE=", "WFC_DATABASE_URL=", "XDG_STATE_HOME=" + filepath.Join(dir, home)}, env...)
		code, out, messages := wfcCommand(t, filepath.Join(dir, from), env, args...)
		if code != want {
			t.Errorf("%v in %s: exit code %d, want %d\n%s%s", args, from, code, want, out, messages)
		}
		return out, messages
	}
	begin := func(project string, env []string) string {
		_, messages := calls(project, "first", 3, env, "run", "gate.yaml", "--no-ask", "--agent", "claude=scripted:replies.json")
		return regexp.MustCompile(`gate-[a-z0-9]{6}`).FindString(messages)
	}
	for _, project := range []string{"one", "two", "none"} {
		if err := os.Mkdir(filepath.Join(dir, project), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, project := range []string{"one", "two"} {
		write(t, filepath.Join(dir, project, "gate.yaml"), "name: gate\ndescription: d\nnodes:\n  - {id: plan, prompt: Plan it.}\n  - {id: ask, depends_on: [plan], approval: {message: Ship it?}}\n")
		write(t, filepath.Join(dir, project, "replies.json"), `{"plan": [{"text": "a plan", "cost": 0.3}]}`)
		write(t, filepath.Join(dir, project, "wfc.yaml"), "store: postgres\n")
	}
	named := []string{"WFC_DATABASE_URL=" + url}
	one := begin("one", named)
	calls("one", "first", 0, named, "export", one, "--output", "one.wfcrun")

	// Its program was built before.
	write(t, filepath.Join(dir, "one", "wfc.yaml"), "store: postgres\ndatabase: "+url+"\n")
	for _, args := range [][]string{{"list"}, {"status", one}, {"status", "gate.yaml", "latest"}, {"waiting"}} {
		if out, _ := calls("one", "first", 0, nil, args...); !strings.Contains(out, one) {
			t.Errorf("%v:\n%s", args, out)
		}
	}
	if _, messages := calls("one", "first", 1, nil, "import", "gate.yaml", "one.wfcrun"); !strings.Contains(messages, "exists") {
		t.Errorf("import: %s", messages)
	}

	// Another machine.
	for _, call := range []struct {
		from string
		env  []string
		args []string
		code int
	}{
		{"one", nil, []string{"waiting", "--exit-code"}, 1},
		{"one", nil, []string{"list", "--all-projects"}, 0},
		{"none", named, []string{"waiting", "--exit-code"}, 1},
		{"none", named, []string{"list", "--all-projects"}, 0},
		{"none", nil, []string{"waiting", "--exit-code", "--database", url}, 1},
	} {
		if out, _ := calls(call.from, "second", call.code, call.env, call.args...); strings.Count(out, one) == 0 {
			t.Errorf("%v in %s:\n%s", call.args, call.from, out)
		}
	}
	for from, env := range map[string][]string{"one": nil, "none": named} {
		if out, _ := calls(from, "second", 0, env, "costs", "--all-projects"); !strings.Contains(out, "$0.30") {
			t.Errorf("costs in %s:\n%s", from, out)
		}
	}

	// Two projects share the database.
	two := begin("two", named)
	out, _ := calls("none", "first", 0, named, "list", "--all-projects")
	for project, run := range map[string]string{"one": one, "two": two} {
		if strings.Count(out, run) != 1 || !regexp.MustCompile(`(?m)^`+project+` +`+run+` `).MatchString(out) {
			t.Errorf("run %s of %s is not there once:\n%s", run, project, out)
		}
	}
	if out, _ := calls("none", "first", 0, named, "waiting"); !strings.HasPrefix(out, "gate: 2\n") {
		t.Errorf("two runs wait:\n%s", out)
	}
}
