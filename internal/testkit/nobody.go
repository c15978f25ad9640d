//go:build linux

package testkit

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// SetuidEnv is an environment variable with the path of this program as one that runs as the
// administrator, whoever starts it. Only tests that RepeatAsNobody runs have it.
const SetuidEnv = "WFC_TEST_SETUID"

// SkipSandbox skips a test. It fails the test instead if the environment variable WFC_SANDBOX_STRICT
// is set, as by `make test-sandbox`.
func SkipSandbox(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("WFC_SANDBOX_STRICT") != "" {
		t.Errorf("skipped: %s", why)
	}
	t.Skip(why)
}

// RepeatAsNobody runs tests again as the user nobody, with a home folder, if this user is an
// administrator.
func RepeatAsNobody(t *testing.T, tests string) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short, as with the race detector, which sees nothing of other processes")
	}
	if os.Getuid() != 0 {
		t.Skip("this user is an ordinary one already")
	}
	account, err := user.Lookup("nobody")
	if err != nil {
		SkipSandbox(t, err.Error())
	}
	uid, err1 := strconv.Atoi(account.Uid)
	gid, err2 := strconv.Atoi(account.Gid)
	dir, err3 := os.MkdirTemp("", "wfc-nobody-") // t.TempDir is not for others
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := func(name string) string { return filepath.Join(dir, name) }
	err = errors.Join(
		os.Chmod(dir, 0o755), copyProgram(path("program")), copyProgram(path("setuid")), os.Chmod(path("setuid"), 0o755|os.ModeSetuid),
		os.Mkdir(path("home"), 0o700), os.Chown(path("home"), uid, gid))
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(path("program"), "-test.run="+tests, "-test.v="+strconv.FormatBool(testing.Verbose()), "-test.timeout=110s")
	c.Env = append(os.Environ(), "HOME="+path("home"), "TMPDIR="+path("home"), SetuidEnv+"="+path("setuid"))
	c.Dir = path("home")
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("as nobody: %v", err)
	}
	if err != nil || testing.Verbose() {
		t.Logf("as nobody:\n%s", out)
	}
}

// copyProgram copies this program.
func copyProgram(to string) error {
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		return err
	}
	defer from.Close()
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close(), os.Chmod(to, 0o755))
}
