// Package install installs the pinned agent programs from npm into a cache
// folder that test runs share.
package install

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

//go:embed agents.txt
var pinned string

// A Pin is one version of a program.
type Pin struct {
	Name, Version string
	// Packages are the npm packages with their versions, the program's own first.
	Packages []string
}

// String returns the name of the program's folder in the cache.
func (p Pin) String() string { return p.Name + "-" + p.Version }

// Pins returns the pinned programs in the order of agents.txt.
func Pins() ([]Pin, error) { return parse(pinned) }

func parse(text string) ([]Pin, error) {
	var pins []Pin
	number := 0
	for line := range strings.Lines(text) {
		number++
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) < 3 {
			return nil, fmt.Errorf("agents.txt:%d: want a name, a version and npm packages", number)
		}
		pin := Pin{Name: words[0], Version: words[1], Packages: words[2:]}
		for _, p := range pin.Packages {
			if strings.LastIndex(p, "@") < 1 {
				return nil, fmt.Errorf("agents.txt:%d: the package %s has no version", number, p)
			}
		}
		if slices.ContainsFunc(pins, func(other Pin) bool { return other.String() == pin.String() }) {
			return nil, fmt.Errorf("agents.txt:%d: %s is pinned twice", number, pin)
		}
		pins = append(pins, pin)
	}
	return pins, nil
}

// Cache returns the folder that WFC_AGENTS_CACHE names, or wfc-agents in the
// user's cache folder.
func Cache() (string, error) {
	if dir := os.Getenv("WFC_AGENTS_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache folder: %w; set WFC_AGENTS_CACHE", err)
	}
	return filepath.Join(dir, "wfc-agents"), nil
}

// ErrUnavailable is the error when a program is not in the cache and this
// machine cannot install it: npm is missing or cannot reach its registry.
var ErrUnavailable = errors.New("agent programs are unavailable")

// Bin returns the folder with the program's command.
func (p Pin) Bin(cache string) string {
	return filepath.Join(cache, p.String(), "node_modules", ".bin")
}

// Installed reports whether the cache has the program. npm writes the lock file
// last, and it lists the versions.
func (p Pin) Installed(cache string) bool { return p.in(filepath.Join(cache, p.String())) }

// in reports whether npm has installed the program's packages into a folder.
func (p Pin) in(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "node_modules", ".package-lock.json"))
	if err != nil {
		return false
	}
	var lock struct {
		Packages map[string]struct {
			Version string `json:"version"`
		} `json:"packages"`
	}
	if json.Unmarshal(text, &lock) != nil {
		return false
	}
	for _, spec := range p.Packages {
		at := strings.LastIndex(spec, "@")
		if lock.Packages["node_modules/"+spec[:at]].Version != spec[at+1:] {
			return false
		}
	}
	return true
}

// Ensure installs the program unless the cache has it. npm works in a folder
// beside the final one, so an interrupted installation leaves nothing behind that
// counts.
func (p Pin) Ensure(ctx context.Context, cache string, say func(format string, args ...any)) error {
	if p.Installed(cache) {
		return nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return fmt.Errorf("%w: npm is not on PATH", ErrUnavailable)
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(cache, "."+p.String()+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	say("installing %s", p)
	args := append([]string{"install", "--no-audit", "--no-fund", "--fetch-retries=1", "--prefix", dir}, p.Packages...)
	out, err := exec.CommandContext(ctx, npm, args...).CombinedOutput()
	if err != nil {
		if code := unreachable(string(out)); code != "" {
			return fmt.Errorf("%w: npm cannot reach its registry (%s), and %s lacks %s", ErrUnavailable, code, cache, p)
		}
		return fmt.Errorf("install %s: %w\n%s", p, err, out)
	}
	if !p.in(dir) {
		return fmt.Errorf("install %s: npm installed other versions", p)
	}
	final := filepath.Join(cache, p.String())
	if err := os.RemoveAll(final); err != nil {
		return err
	}
	if err := os.Rename(dir, final); err != nil && !p.Installed(cache) { // another run was faster
		return err
	}
	return nil
}

var npmCode = regexp.MustCompile(`(?m)^npm (?:error|ERR!) code (\S+)`)

// networkCodes are npm's codes for a registry that it cannot reach.
var networkCodes = []string{"ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "ETIMEDOUT", "ERR_SOCKET_TIMEOUT",
	"ENETUNREACH", "EHOSTUNREACH", "ENOTCACHED", "E502", "E503", "E504"}

// unreachable returns npm's code when its output says that it cannot reach the
// registry, or "".
func unreachable(out string) string {
	m := npmCode.FindStringSubmatch(out)
	if m == nil || !slices.Contains(networkCodes, m[1]) {
		return ""
	}
	return m[1]
}
