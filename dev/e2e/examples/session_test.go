//go:build unix

package examples

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A session is a shell in an empty home folder, in which the commands of a page
// run one after the other. A command sees the folder and the variables that
// earlier ones left.
type session struct {
	t    *testing.T
	home string
	// kept is the folder of what the session keeps between commands.
	kept string
	// shown are the names that outputs show in place of the ids of runs.
	shown map[string]string
}

// keeping runs the command $1 where the last one ended, with its variables.
const keeping = `. "$0/environment"; cd "$(cat "$0/folder")"; eval "$1"; code=$?; pwd > "$0/folder"; export -p > "$0/environment"; exit $code`

// newSession starts a session whose PATH has wfc.
func newSession(t *testing.T) *session {
	t.Helper()
	dir := t.TempDir()
	s := &session{t: t, home: filepath.Join(dir, "ann"), kept: filepath.Join(dir, "kept"), shown: map[string]string{}}
	for _, folder := range []string{s.home, s.kept, s.temporary()} {
		if err := os.Mkdir(folder, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	s.write(filepath.Join(s.kept, "environment"), "")
	s.write(filepath.Join(s.kept, "folder"), s.home)
	return s
}

// write writes a file of the session: below the current folder unless its name
// is absolute.
func (s *session) write(name, text string) {
	s.t.Helper()
	if !filepath.IsAbs(name) {
		name = filepath.Join(s.folder(), name)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		s.t.Fatal(err)
	}
	mode := os.FileMode(0o666)
	if strings.HasPrefix(text, "#!") {
		mode = 0o777
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		s.t.Fatal(err)
	}
}

// folder returns the current folder.
func (s *session) folder() string {
	return strings.TrimSpace(read(s.t, filepath.Join(s.kept, "folder")))
}

// temporary returns the folder of temporary files.
func (s *session) temporary() string { return filepath.Join(s.home, "tmp") }

// run runs a command and returns its standard output and standard error, and an
// error if it fails. The processes that it leaves behind end with the test.
func (s *session) run(command string) (string, error) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 5*time.Minute)
	defer cancel()
	printed, err := os.CreateTemp(s.kept, "printed-")
	if err != nil {
		s.t.Fatal(err)
	}
	defer printed.Close()
	cmd := exec.CommandContext(ctx, "bash", "-c", keeping, s.kept, command)
	cmd.Env = s.environment()
	cmd.Stdout, cmd.Stderr = printed, printed
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	group := cmd.Process.Pid
	s.t.Cleanup(func() { _ = syscall.Kill(-group, syscall.SIGKILL) })
	failure := cmd.Wait()
	if ctx.Err() != nil {
		s.t.Fatalf("%s: %v", command, ctx.Err())
	}
	text := read(s.t, printed.Name())
	checkout, err := filepath.Abs(root)
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.NewReplacer(s.home, "~", checkout, "~/wfc").Replace(progress.ReplaceAllString(text, "")), failure
}

// environment returns the variables of a new shell: the home folder is empty, and
// the caches are those of the test, so that nothing is compiled twice.
func (s *session) environment() []string {
	env := []string{
		"HOME=" + s.home, "TMPDIR=" + s.temporary(), "PATH=" + filepath.Dir(wfc) + ":" + os.Getenv("PATH"), "NO_COLOR=1", "LANG=C.UTF-8", "TZ=UTC",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com",
		"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.com",
	}
	for name, value := range caches() {
		env = append(env, name+"="+value)
	}
	for _, name := range []string{"GOFLAGS", "CGO_ENABLED", "GOGC"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}
