package cli

import (
	"bufio"
	"debug/buildinfo"
	"encoding/json"
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
	out, _ = calls("none", "first", 0, named, "prune", "--all-projects", "--status", "paused", "--dry-run")
	for project, run := range map[string]string{"one": one, "two": two} {
		if strings.Count(out, "would remove "+run+" of "+project+" ") != 1 || strings.Count(out, run) != 1 {
			t.Errorf("run %s of %s is not named once:\n%s", run, project, out)
		}
	}

	// Another machine finds a run by its id alone, and by the beginning of it. Another project does so
	// with a database that the command line names; it has no such workflow.
	for _, id := range []string{one, one[:len(one)-2]} {
		if out, _ := calls("one", "second", 0, nil, "status", id); !strings.Contains(out, one+": paused") {
			t.Errorf("status %s:\n%s", id, out)
		}
	}
	if out, _ := calls("none", "second", 0, nil, "status", two, "--database", url); !strings.Contains(out, two+": paused") {
		t.Errorf("status --database:\n%s", out)
	}
	if _, messages := calls("one", "second", 2, nil, "status", "gate-zzzzzz"); !strings.Contains(messages, "unknown workflow file, workflow or run") {
		t.Errorf("an unknown run: %s", messages)
	}
	var report struct{ Waiting []struct{ Commands []string } }
	out, _ = calls("one", "second", 0, nil, "waiting", "--json")
	if err := json.Unmarshal([]byte(out), &report); err != nil || len(report.Waiting) != 2 {
		t.Fatalf("waiting --json: %v\n%s", err, out)
	}
	for _, item := range report.Waiting {
		words := strings.Fields(item.Commands[0])
		if out, messages := calls("one", "second", 0, nil, append(words[1:], "--skip-agent-check")...); !strings.Contains(messages, "answered: approve") {
			t.Errorf("%s:\n%s%s", item.Commands[0], out, messages)
		}
	}
	calls("none", "first", 0, named, "prune", "--all-projects", "--status", "completed")
	for _, run := range []string{one, two} {
		if found, _ := filepath.Glob(filepath.Join(dir, "first", "wfc", "*", "runs", run)); len(found) > 0 {
			t.Errorf("removed runs leave %v", found)
		}
	}
}

// Projects may have runs in both stores: each command on them goes to the store of the run.
func TestRunsInTwoStores(t *testing.T) {
	testkit.SkipBuild(t)
	url, password := newDatabase(t)
	dir := t.TempDir()
	env := []string{"GOPROXY=off", "PGPASSWORD=" + password, "WFC_STATE=" + filepath.Join(dir, "state"), "WFC_DATABASE_URL=" + url}
	calls := func(want int, args ...string) string {
		t.Helper()
		code, out, messages := wfcCommand(t, dir, env, args...)
		if code != want {
			t.Errorf("%v: exit code %d, want %d\n%s%s", args, code, want, out, messages)
		}
		return out + messages
	}
	write(t, filepath.Join(dir, "flow.yaml"), "name: flow\ndescription: d\nnodes:\n  - {id: a, bash: echo done}\n")
	program := filepath.Join(dir, "flow.exe")
	var runs []string
	for _, store := range []string{"sqlite", "postgres"} {
		calls(0, "build", "flow.yaml", "-o", program, "--store", store)
		cmd := exec.Command(program, "run", "--json")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		text, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, regexp.MustCompile(`flow-[a-z0-9]{6}`).FindString(string(text)))
	}
	for _, args := range [][]string{{"list"}, {"prune", "--status", "completed", "--dry-run"}} {
		out := calls(0, args...)
		for _, run := range runs {
			if strings.Count(out, run) != 1 {
				t.Errorf("%v names %s not once:\n%s", args, run, out)
			}
		}
	}
	for _, run := range runs {
		calls(0, "status", run)
		calls(0, "status", "flow.yaml", run)
		calls(0, "logs", run)
	}
	// The database that is named has one of them.
	if out := calls(0, "prune", "--status", "completed", "--database", url); strings.Contains(out, runs[0]) || !strings.Contains(out, runs[1]) {
		t.Errorf("prune --database:\n%s", out)
	}
	if out := calls(0, "list"); !strings.Contains(out, runs[0]) || strings.Contains(out, runs[1]) {
		t.Errorf("the runs that are left:\n%s", out)
	}
	// A run moves to the other store once its first one has let it go.
	exported := filepath.Join(dir, "flow.wfcrun")
	calls(0, "export", runs[0], "--output", exported)
	if out := calls(1, "import", "flow.yaml", exported, "--database", url); !strings.Contains(out, "remove that run by `wfc prune flow.yaml "+runs[0]+"`") {
		t.Errorf("import: %s", out)
	}
	calls(0, "prune", "flow.yaml", runs[0])
	calls(0, "import", "flow.yaml", exported, "--database", url)
	calls(0, "status", runs[0])
	calls(0, "prune", "flow.yaml", runs[0], "--database", url)
	// By its name, too, a workflow is compiled for the project's store.
	write(t, filepath.Join(dir, "wfc.yaml"), "store: postgres\n")
	calls(0, "import", "flow", exported)
	if out := calls(0, "list", "--database", url); !strings.Contains(out, runs[0]) {
		t.Errorf("the run was imported to another store:\n%s", out)
	}
	// An empty store says nothing beside another one. Each store has its own budget.
	if out := calls(0, "list"); !strings.Contains(out, runs[0]) || strings.Contains(out, "no runs") {
		t.Errorf("list:\n%s", out)
	}
	write(t, filepath.Join(dir, "wfc.yaml"), "store: postgres\nbudgets: {day: {cost_usd: 5}}\n")
	for _, place := range []string{"state", "postgres://"} {
		if out := calls(0, "costs"); !regexp.MustCompile(`(?m)^day of \S+ in \S*` + place).MatchString(out) {
			t.Errorf("costs without the budget in %s:\n%s", place, out)
		}
	}
}
