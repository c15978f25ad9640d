package state_test

import (
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/state"
)

// Services and cron start programs without HOME.
func TestLocateWithoutHome(t *testing.T) {
	u, err := user.Current()
	if err != nil || runtime.GOOS == "windows" || !filepath.IsAbs(u.HomeDir) {
		t.Skip("the system does not say where the user's home is")
	}
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "WFC_STATE"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	f, err := state.Locate("", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(u.HomeDir, ".local", "state", "wfc"); filepath.Dir(f.Path) != want {
		t.Errorf("the state is in %s, want a folder of %s", f.Path, want)
	}
}
