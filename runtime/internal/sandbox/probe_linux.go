//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// Probe returns the layers of the sandbox that are missing here: none means that it works. It
// makes a box and runs `true` in it.
func Probe() []Missing {
	list := unsupportedLayers()
	path, err := exec.LookPath("true")
	if err != nil {
		path = "/bin/true"
	}
	first, err := Launch(Limits{}, "", startUnregistered)
	var b *Box
	if err == nil {
		b, err = first.Open(&Policy{}, func() {})
	}
	if err != nil {
		return append(list, Missing{"namespaces", err.Error(), namespaceRemedy(err)})
	}
	defer b.Close(func() {})
	p, err := b.Start(&exec.Cmd{Path: path, Args: []string{"true"}, Dir: "/"}, &Policy{}, Network{}, 0)
	if err != nil {
		return append(list, Missing{"file system", err.Error(), "use Linux 5.12 or later; in a container, do not let the container hide parts of /proc (Docker: `--security-opt systempaths=unconfined`)"})
	}
	if code, signal := p.Wait(); code != 0 {
		list = append(list, Missing{"programs", fmt.Sprintf("`%s` ended with exit code %d %s", path, code, signal), ""})
	}
	return list
}

// startUnregistered starts the first process of a box without a note of it.
func startUnregistered(start func() (pid int, err error)) error {
	_, err := start()
	return err
}

// namespaceRemedy says what makes namespaces possible.
func namespaceRemedy(err error) string {
	switch {
	case kernelSetting("kernel/apparmor_restrict_unprivileged_userns") == "1":
		return "AppArmor restricts user namespaces: give this program a profile with `userns,`, or set kernel.apparmor_restrict_unprivileged_userns=0"
	case kernelSetting("kernel/unprivileged_userns_clone") == "0":
		return "set kernel.unprivileged_userns_clone=1"
	case kernelSetting("vm/memfd_noexec") == "2":
		return "set vm.memfd_noexec to 0 or 1"
	case kernelSetting("user/max_user_namespaces") == "0":
		return "set user.max_user_namespaces to 10000"
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.ENOSYS):
		return "in a container, permit user namespaces (Docker: `--security-opt seccomp=unconfined --security-opt apparmor=unconfined`)"
	}
	return ""
}

// kernelSetting returns a setting below /proc/sys. Tests change it.
var kernelSetting = func(name string) string {
	text, _ := wholefile.Source.Read("/proc/sys/" + name) // a system without it has no such restriction
	return strings.TrimSpace(string(text))
}

// Weaknesses returns the layers that this machine has only in part. Steps can run in the sandbox.
func Weaknesses() []Missing {
	if v := landlockVersion(); v > 0 && v < landScopes {
		return []Missing{{"Landlock", fmt.Sprintf("the kernel has version %d of its interface, with which a step can send signals to the programs of other steps of its run", v),
			"use Linux 6.12 or later, which has version 6"}}
	}
	return nil
}

// unsupportedLayers returns the layers that the kernel does not have.
func unsupportedLayers() []Missing {
	if landlockVersion() > 0 {
		return nil
	}
	return []Missing{{"Landlock", "the kernel does not have it, or it is not switched on",
		"use Linux 5.13 or later, with `landlock` among the names of the kernel's parameter `lsm=`"}}
}
