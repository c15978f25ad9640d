//go:build unix

package shell_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/shell"
)

// A script that waited for its release cannot tell.
func TestHeldScriptIsAsAlways(t *testing.T) {
	b := newBench(t)
	plain := []string{"PATH=" + os.Getenv("PATH")} // without `_`, which bash takes over
	for _, p := range []flow.Bash{
		{Script: `echo "$_" "$0" "$#" "$?" "$-" "$LINENO" "${REPLY-none}"`},
		{Script: `ls /dev/fd 2>/dev/null | wc -l; compgen -v | grep -v ^BASH_EXECUTION | sort; trap`},
		{Script: `set -u; f() { echo "$LINENO $value"; }; f`, Bindings: []flow.Binding{{Name: "value", Value: "a\nb"}}},
		{Script: `read -r line || echo "no input"; exit 3`},
		{Script: `exec 3>&1; echo "to 3" >&3`},
		{Script: "# " + strings.Repeat("long ", 30_000) + "\necho end"},
	} {
		for _, environ := range [][]string{plain, append(plain, "BASH_ENV=/dev/null"), append(plain, "BASH_FUNC_exec%%=() { echo oops; }"), append(plain, "SHELLOPTS=xtrace")} {
			b.environ = environ
			want := b.perform(p)
			hold := process.NewHold()
			hold.Release()
			got := (&shell.Performer{}).Perform(process.WithHold(context.Background(), hold), b.call(p))
			if got.Status != want.Status || got.Text != want.Text {
				t.Errorf("%.60q: %+v, want %+v", p.Script, got, want)
			}
		}
	}
}

// A script does nothing before its release: it does not even read the file of BASH_ENV. Its
// timeout begins with the release.
func TestHeldScriptDoesNothing(t *testing.T) {
	for _, name := range []string{"plain", "BASH_ENV"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			file := filepath.Join(b.work, "done")
			if name == "BASH_ENV" {
				start := filepath.Join(b.work, "start")
				if err := os.WriteFile(start, []byte("touch '"+file+"'"), 0o600); err != nil {
					t.Fatal(err)
				}
				b.environ = append(b.environ, "BASH_ENV="+start)
			}
			hold := process.NewHold()
			call := b.call(flow.Bash{Script: "touch '" + file + "'"})
			call.Action.Timeout = 10 * time.Second
			done := make(chan flow.Result)
			go func() { done <- (&shell.Performer{}).Perform(process.WithHold(t.Context(), hold), call) }()
			select {
			case r := <-done:
				t.Fatalf("%+v before the release", r)
			case <-time.After(50 * time.Millisecond): // a script that did not wait would have ended
			}
			if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("it has worked before the release: %v", err)
			}
			hold.Release()
			if r := <-done; r.Status != flow.Completed {
				t.Errorf("%+v", r)
			}
			if _, err := os.Stat(file); err != nil {
				t.Error(err)
			}
		})
	}
}

// A script that is cancelled before its release never begins.
func TestHeldScriptIsCancelled(t *testing.T) {
	for _, variable := range []string{"A=b", "BASH_ENV=/dev/null"} {
		b := newBench(t)
		b.environ = append(b.environ, variable)
		file := filepath.Join(b.work, "done")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		hold := process.NewHold()
		r := (&shell.Performer{}).Perform(process.WithHold(ctx, hold), b.call(flow.Bash{Script: "touch '" + file + "'"}))
		hold.Release()
		if _, err := os.Stat(file); r.Status != flow.Cancelled || err == nil {
			t.Errorf("%s: %+v, %v", variable, r, err)
		}
	}
}
