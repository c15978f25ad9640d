package main

import (
	"bytes"
	"cmp"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// buildFlags are the flags of the program wfc.
var buildFlags = []string{"-trimpath", "-buildvcs=true", "-ldflags=-s -w"}

// plainVersion is a version that archives, Debian and npm take.
var plainVersion = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(-[-.0-9A-Za-z]+)?$`)

// A maker builds the files of one release, for all its platforms, from a commit.
type maker struct {
	ctx       context.Context
	out, work string
	url       string
	platforms []platform

	goVersion string
	source    string // a checkout of the commit
	version   string // of wfc, without the v
	commit    string
	at        time.Time // of the commit, and of all files
	host      string    // the program wfc for this machine
	// notes are remarks on files.
	notes      map[string]string
	toolchains map[platform]*toolchain
}

// prepare learns which Go and which commit there are, and builds wfc for this machine.
func (m *maker) prepare() error {
	m.notes, m.toolchains = map[string]string{}, map[platform]*toolchain{}
	found, err := m.ask("go", "env", "GOVERSION")
	if err != nil {
		return err
	}
	if strings.ContainsAny(found, " -") {
		return fmt.Errorf("%s is not a release of Go: other machines cannot use the packages that it compiles", found)
	}
	m.goVersion = found
	if m.commit, err = m.ask("git", "rev-parse", "HEAD"); err != nil {
		return err
	}
	if err := m.checkOut(); err != nil {
		return err
	}
	seconds, err := m.ask("git", "log", "-1", "--format=%ct")
	if err != nil {
		return err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return err
	}
	m.at = time.Unix(unix, 0).UTC()
	p := platform{runtime.GOOS, runtime.GOARCH}
	if m.host, err = m.program(p); err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(m.host)
	if err != nil {
		return err
	}
	m.version = strings.TrimPrefix(info.Main.Version, "v")
	if !plainVersion.MatchString(m.version) {
		return fmt.Errorf("the go command found no version of %s: %q", m.commit, info.Main.Version)
	}
	m.url = cmp.Or(m.url, "https://github.com/wfc-lang/wfc/releases/download/v"+m.version)
	return nil
}

// checkOut makes a checkout of the commit. A release depends on nothing else that is in the
// folder, and the go command finds the commit and its version there.
func (m *maker) checkOut() error {
	m.source = filepath.Join(m.work, "source")
	if err := os.RemoveAll(m.source); err != nil {
		return err
	}
	if err := m.do(os.Environ(), ".", "git", "clone", "--quiet", "--no-checkout", ".", m.source); err != nil {
		return err
	}
	return m.do(os.Environ(), m.source, "git", "checkout", "--quiet", "--detach", m.commit)
}

// ask returns the first line that a command prints.
func (m *maker) ask(name string, args ...string) (string, error) {
	cmd := exec.CommandContext(m.ctx, name, args...)
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN=local")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// goEnviron is the environment for the go command: what could change its output is fixed.
func (m *maker) goEnviron(p platform) []string {
	return append(os.Environ(), "GOOS="+p.goos, "GOARCH="+p.goarch, "CGO_ENABLED=0", "GOTOOLCHAIN=local", "GOWORK=off",
		"GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0", "SOURCE_DATE_EPOCH="+strconv.FormatInt(m.at.Unix(), 10))
}

// program builds wfc and returns its path.
func (m *maker) program(p platform) (string, error) {
	out := filepath.Join(m.work, "program", p.goos+"-"+p.goarch, "wfc"+p.exe())
	args := append([]string{"build", "-o", out}, buildFlags...)
	return out, m.do(m.goEnviron(p), m.source, "go", append(args, "./cmd/wfc")...)
}

// do runs a command and shows its output if it fails.
func (m *maker) do(environ []string, dir, name string, args ...string) error {
	cmd := exec.CommandContext(m.ctx, name, args...)
	cmd.Dir, cmd.Env = dir, environ
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	return nil
}

// cache is the folder in which wfc compiles the runtime for a platform.
func (m *maker) cache(p platform) string { return filepath.Join(m.work, p.goos+"-"+p.goarch) }

// compile has wfc compile the runtime for a platform, as the first build of a user would.
// modules is a module cache, which it fills; several platforms may fill it at once.
func (m *maker) compile(p platform, modules string) error {
	empty := filepath.Join(m.work, "empty") // no wfc.yaml applies here
	if err := os.MkdirAll(empty, 0o755); err != nil {
		return err
	}
	environ := append(m.moduleEnviron(p, modules), "WFC_CACHE="+m.cache(p))
	for _, more := range [][]string{nil, {"--store", "memory"}, {"--mcp"}} {
		if err := m.do(environ, empty, m.host, append([]string{"build", "--prefetch"}, more...)...); err != nil {
			return fmt.Errorf("compile the runtime for %s: %w", p, err)
		}
	}
	_, err := runtimeFolder(m.cache(p))
	return err
}

// moduleEnviron has the go command fill a module cache from the user's, and from the network.
func (m *maker) moduleEnviron(p platform, modules string) []string {
	environ := append(m.goEnviron(p), "GOMODCACHE="+modules)
	own, err1 := m.ask("go", "env", "GOMODCACHE")
	proxy, err2 := m.ask("go", "env", "GOPROXY")
	if errors.Join(err1, err2) == nil && proxy != "off" {
		environ = append(environ, "GOPROXY=file://"+filepath.ToSlash(own)+"/cache/download,"+proxy)
	}
	return environ
}
