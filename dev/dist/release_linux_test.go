package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// newRoot makes a root folder with the essential packages of Debian, or copies the one of an
// earlier test: WFC_TEST_ROOTS may name a folder to keep them in. A folder for another
// architecture is unpacked and not configured.
func newRoot(t *testing.T, architecture string) string {
	t.Helper()
	need(t, "debootstrap", "unshare", "chroot")
	if os.Getuid() != 0 {
		t.Skip("debootstrap needs root")
	}
	roots := os.Getenv("WFC_TEST_ROOTS")
	if roots == "" {
		roots = t.TempDir()
	}
	stock := filepath.Join(roots, architecture)
	if _, err := os.Stat(filepath.Join(stock, "usr/bin/bash")); err != nil {
		args := []string{"--variant=minbase", "--arch=" + architecture}
		if architecture != "amd64" {
			args = append(args, "--foreign")
		}
		if out, err := exec.Command("debootstrap", append(args, "bookworm", stock)...).CombinedOutput(); err != nil {
			t.Skipf("debootstrap makes no root folder here: %v\n%s", err, out)
		}
	}
	root := filepath.Join(t.TempDir(), "root")
	command(t, "", nil, "cp", "-a", "--reflink=auto", stock, root)
	for _, name := range []string{"triage.yaml", "replies.json"} {
		command(t, "", nil, "install", "-D", filepath.Join("../../examples/triage", name), filepath.Join(root, "work", name))
	}
	return root
}

// inRoot runs a script in a root folder and in namespaces without a network, processes and
// mounts of this machine. before runs outside the root, in the namespaces.
func inRoot(t *testing.T, root, before, script string) string {
	t.Helper()
	const enter = `set -e
root=$1; script=$2
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
`
	return command(t, "", nil, "unshare", "--user", "--map-root-user", "--mount", "--pid", "--net", "--fork",
		"sh", "-c", enter+before+"\nexec chroot \"$root\" /usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 /bin/bash -c \"$script\"", "sh", root, script)
}

// noGo is part of scripts: it fails if the root folder has Go, or a network.
const noGo = `set -e; cd /work; export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
if command -v go || [ -e /usr/local/go ]; then echo "there is a Go"; exit 1; fi
if (exec 3<>/dev/tcp/deb.debian.org/80) 2>/dev/null; then echo "there is a network"; exit 1; fi
`

// readOnly makes the installation read-only: a build must not write to it.
const readOnly = `mount --bind "$root/%s" "$root/%s"; mount -o remount,bind,ro "$root/%s"`

// runTriage runs the triage example for the first time and prints the milliseconds and the
// seconds of processor time that it took.
const runTriage = `
began=$(date +%s%N)
TIMEFORMAT='cpu %U %S'; time wfc run triage.yaml --agent claude=scripted:replies.json 'It crashes' >out
echo "took $(( ($(date +%s%N) - began) / 1000000 ))"
grep -q 'kind: bug' out
wfc doctor | grep '^Go:' || true
`

// firstRun checks the time that runTriage printed. If other work keeps the processors of this
// machine busy, the processor time counts instead.
func firstRun(t *testing.T, printed string, limit time.Duration) {
	t.Helper()
	var ms int64
	var user, system, load float64
	_, rest, _ := strings.Cut(printed, "took ")
	_, cpu, _ := strings.Cut(printed, "cpu ")
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		t.Fatal(err)
	}
	_, err1 := fmt.Sscan(rest, &ms)
	_, err2 := fmt.Sscan(cpu, &user, &system)
	_, err3 := fmt.Sscan(string(text), &load)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatalf("%v in %s", err, printed)
	}
	took := time.Duration(ms) * time.Millisecond
	t.Logf("the first run took %v, and %.2fs of processor time; the load is %.1f", took, user+system, load)
	if load > float64(runtime.NumCPU()) {
		took = time.Duration((user + system) * float64(time.Second))
	}
	if took > limit {
		t.Errorf("the first run took %v, want at most %v", took, limit)
	}
}

// A machine with nothing but a shell unpacks wfc-full and runs the example, offline.
func TestReleaseBareRoot(t *testing.T) {
	r := release(t)
	root := newRoot(t, "amd64")
	command(t, "", nil, "tar", "xzf", r.path(full.archive(r.version, platform{"linux", "amd64"})), "-C", filepath.Join(root, "opt"))
	printed := inRoot(t, root, fmt.Sprintf(readOnly, "opt", "opt", "opt"), noGo+"export PATH=/opt/wfc/bin:$PATH"+runTriage)
	if !strings.Contains(printed, "/opt/wfc/lib/wfc/go/bin/go") {
		t.Errorf("another Go was used:\n%s", printed)
	}
	firstRun(t, printed, 5*time.Second)
}

// wfc-full has the modules of every engine and store, and of other systems: it builds with them
// offline.
func TestReleaseOffline(t *testing.T) {
	r := release(t)
	root := newRoot(t, "amd64")
	command(t, "", nil, "tar", "xzf", r.path(full.archive(r.version, platform{"linux", "amd64"})), "-C", filepath.Join(root, "opt"))
	printed := inRoot(t, root, fmt.Sprintf(readOnly, "opt", "opt", "opt"), noGo+`export PATH=/opt/wfc/bin:$PATH
for flags in "--store memory" "--mcp" "--store postgres" "--engine temporal"; do
	wfc build $flags triage.yaml -o program 2>log || { cat log; exit 1; }
	./program info >/dev/null
done
for flags in "" "--store postgres://ci@127.0.0.1:1/runs"; do
	wfc serve --prefetch $flags 2>log || { cat log; exit 1; }
done
GOOS=darwin GOARCH=arm64 wfc build --store memory triage.yaml -o other
echo all built`)
	if !strings.Contains(printed, "all built") {
		t.Errorf("printed:\n%s", printed)
	}
}

// On a machine with a network but without Go, one command of the small wfc fetches all that
// the example needs, and runs it.
func TestReleaseNetwork(t *testing.T) {
	r := release(t)
	certificates, err := os.ReadFile("/etc/ssl/certs/ca-certificates.crt")
	if err != nil {
		t.Skip("this machine has no certificates for the root folder")
	}
	if response, err := http.Head("https://proxy.golang.org/"); err != nil {
		t.Skipf("the Go module proxy cannot be reached: %v", err)
	} else {
		response.Body.Close()
	}
	root := newRoot(t, "amd64")
	command(t, "", nil, "tar", "xzf", r.path(small.archive(r.version, platform{"linux", "amd64"})), "-C", filepath.Join(root, "opt"))
	if err := errors.Join(
		os.MkdirAll(filepath.Join(root, "etc/ssl/certs"), 0o755),
		os.WriteFile(filepath.Join(root, "etc/ssl/certs/ca-certificates.crt"), certificates, 0o644),
	); err != nil {
		t.Fatal(err)
	}
	command(t, "", nil, "cp", "--dereference", "/etc/resolv.conf", "/etc/hosts", filepath.Join(root, "etc"))
	const enter = `mount -t proc proc "$1/proc"; mount --rbind /dev "$1/dev"
exec chroot "$1" /usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 /bin/bash -c "$2"`
	const script = `set -e; cd /work; export PATH=/usr/bin:/bin:/opt/wfc/bin
if command -v go; then echo "there is a Go"; exit 1; fi
wfc run triage.yaml --agent claude=scripted:replies.json 'It crashes'`
	printed := command(t, "", nil, "unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "sh", "-ec", enter, "sh", root, script)
	if !strings.Contains(printed, "kind: bug") {
		t.Errorf("printed:\n%s", printed)
	}
}

// The Debian packages install, run, replace each other and leave nothing behind.
func TestReleaseDebian(t *testing.T) {
	r := release(t)
	root := newRoot(t, "amd64")
	version := debianVersion(r.version)
	for _, v := range []variant{small, full} {
		command(t, "", nil, "cp", r.path(fmt.Sprintf("%s_%s_amd64.deb", v, version)), filepath.Join(root, "work", string(v)+".deb"))
	}
	printed := inRoot(t, root, "", noGo+`
dpkg -i wfc.deb >/dev/null
wfc --version
dpkg --auto-deconfigure -B -i wfc-full.deb >/dev/null || { dpkg -r wfc >/dev/null; dpkg -i wfc-full.deb >/dev/null; }
test -e /usr/share/man/man1/wfc.1 -a -e /usr/share/doc/wfc-full/copyright
`+runTriage+`
dpkg --verify wfc-full
dpkg -r wfc-full >/dev/null
test ! -e /usr/bin/wfc -a ! -e /usr/lib/wfc`)
	if !strings.Contains(printed, "/usr/lib/wfc/go/bin/go") || !strings.Contains(printed, r.version) {
		t.Errorf("printed:\n%s", printed)
	}
	firstRun(t, printed, 5*time.Second)
}

// The program for arm64 runs under qemu, and so does the Go that it brings.
func TestReleaseARM64(t *testing.T) {
	r := release(t)
	qemu, err := exec.LookPath("qemu-aarch64-static")
	if err != nil {
		t.Skip("no qemu-aarch64-static here")
	}
	archive := r.path(full.archive(r.version, platform{"linux", "arm64"}))
	if _, err := os.Stat(archive); err != nil {
		t.Skip("not in this release")
	}
	root := newRoot(t, "arm64")
	if err := os.MkdirAll(filepath.Join(root, "opt"), 0o755); err != nil {
		t.Fatal(err)
	}
	command(t, "", nil, "tar", "xzf", archive, "-C", filepath.Join(root, "opt"))
	register := `mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
printf '%s' ':aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:` + qemu + `:F' >/proc/sys/fs/binfmt_misc/register`
	printed := inRoot(t, root, register, noGo+"export PATH=/opt/wfc/bin:$PATH; wfc version"+runTriage)
	if !strings.Contains(printed, "linux/arm64") {
		t.Errorf("printed:\n%s", printed)
	}
	// SQLite alone compiles for minutes under qemu.
	firstRun(t, printed, time.Minute)
}

// The steps of the container file, taken in a root folder, give a place where wfc runs.
func TestReleaseContainer(t *testing.T) {
	r := release(t)
	text, err := os.ReadFile(r.path("Containerfile"))
	if err != nil {
		t.Fatal(err)
	}
	root := newRoot(t, "amd64")
	var exports, dir string
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		switch words[0] {
		case "FROM", "ARG", "CMD":
		case "ADD":
			archive := strings.ReplaceAll(words[1], "${TARGETARCH}", "amd64")
			command(t, "", nil, "tar", "xzf", r.path(archive), "-C", filepath.Join(root, words[2]))
		case "ENV":
			exports += "export " + words[1] + "\n"
		case "WORKDIR":
			dir = words[1]
		default:
			t.Fatalf("a step that this test does not know: %s", line)
		}
	}
	printed := inRoot(t, root, "", noGo+exports+"cd "+dir+runTriage)
	firstRun(t, printed, 5*time.Second)
}
