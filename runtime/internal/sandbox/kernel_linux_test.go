//go:build linux && (amd64 || arm64)

package sandbox_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/wfc-lang/wfc/runtime/internal/sandbox"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Whatever keeps a program from making namespaces, the remedy names it.
func TestRemediesForNamespaces(t *testing.T) {
	const restricted = "kernel/apparmor_restrict_unprivileged_userns"
	for _, test := range []struct {
		settings map[string]string
		err      error
		want     string
	}{
		{map[string]string{restricted: "1"}, unix.EACCES, "AppArmor restricts user namespaces: give this program a profile with `userns,`"},
		{map[string]string{restricted: "0", "kernel/unprivileged_userns_clone": "0"}, unix.EPERM, "kernel.unprivileged_userns_clone=1"},
		{map[string]string{"user/max_user_namespaces": "0"}, unix.ENOSPC, "user.max_user_namespaces"},
		{map[string]string{"vm/memfd_noexec": "2"}, unix.EACCES, "vm.memfd_noexec"},
		{map[string]string{restricted: "0"}, unix.EPERM, "in a container, permit user namespaces"},
		{nil, unix.ENOSYS, "in a container, permit user namespaces"},
		{nil, errors.New("something else"), ""},
	} {
		sandbox.WithKernel(test.settings, 6, func() {
			got := sandbox.NamespaceRemedy(fmt.Errorf("start: %w", test.err))
			if !strings.Contains(got, test.want) || (got == "") != (test.want == "") {
				t.Errorf("%v, %v: got %q, want %q", test.settings, test.err, got, test.want)
			}
		})
	}
}

// A kernel without Landlock has no sandbox, and never silently none. One with an early version has
// it in part.
func TestVersionsOfLandlock(t *testing.T) {
	on, off := &settings.Sandbox{Default: settings.SandboxOn}, &settings.Sandbox{Default: settings.SandboxOff}
	for version, weak := range map[int]string{0: "", 1: "version 1 of its interface", 5: "version 5 of its interface", 6: "", 9: ""} {
		sandbox.WithKernel(nil, version, func() {
			err := sandbox.Check(on)
			if version == 0 {
				if err == nil || !strings.Contains(err.Error(), "Landlock: the kernel does not have it, or it is not switched on (use Linux 5.13 or later") ||
					!strings.Contains(err.Error(), "`--sandbox=off` runs them without one") {
					t.Errorf("without Landlock: %v", err)
				}
				if missing := sandbox.Probe(); len(missing) == 0 || missing[0].Layer != "Landlock" {
					t.Errorf("without Landlock, %v is missing", missing)
				}
			} else if err != nil {
				t.Errorf("with version %d: %v", version, err)
			}
			if err := sandbox.Check(off); err != nil {
				t.Errorf("off, with version %d: %v", version, err)
			}
			var said string
			for _, w := range sandbox.Weaknesses() {
				said += w.String()
			}
			if !strings.Contains(said, weak) || (said == "") != (weak == "") {
				t.Errorf("with version %d, %q is weak", version, said)
			}
		})
	}
}
