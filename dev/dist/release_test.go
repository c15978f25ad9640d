package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A made release is what the tests of a whole release look at: `make test-dist` makes one and
// names its folder in WFC_TEST_DIST.
type made struct {
	dir     string
	version string
	list    []product
}

func release(t *testing.T) *made {
	t.Helper()
	dir := os.Getenv("WFC_TEST_DIST")
	if dir == "" {
		t.Skip("`make test-dist` tests a whole release")
	}
	list, err := products(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if rest, ok := strings.CutPrefix(p.name, "wfc_"); ok && strings.Contains(rest, "_linux_") {
			version, _, _ := strings.Cut(rest, "_")
			return &made{dir, version, list}
		}
	}
	t.Fatalf("%s has no release", dir)
	return nil
}

func (r *made) path(name string) string { return filepath.Join(r.dir, name) }

// command runs a command, and fails the test if it fails.
func command(t *testing.T, dir string, environ []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), environ...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// need skips the test if a program is missing.
func need(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("no %s here", name)
		}
	}
}

// The archives have the sizes that the documents promise, and the checksums are right.
func TestReleaseFiles(t *testing.T) {
	r := release(t)
	for _, p := range r.list {
		t.Logf("%8.1f MB  %s", float64(p.size)/1e6, p.name)
		for v, prefix := range map[variant]string{small: "wfc_", full: "wfc-full_"} {
			if strings.HasPrefix(p.name, prefix) && p.size > v.limit() {
				t.Errorf("%s has %d bytes, more than %d", p.name, p.size, v.limit())
			}
		}
	}
	need(t, "sha256sum")
	command(t, r.dir, nil, "sha256sum", "--check", "--strict", "SHA256SUMS")
}

// provenance returns the statement about how the release was made.
func (r *made) provenance(t *testing.T) (s statement) {
	t.Helper()
	text, err := os.ReadFile(r.path("provenance.intoto.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestReleaseProvenance(t *testing.T) {
	r := release(t)
	s := r.provenance(t)
	subjects := map[string]string{}
	for _, subject := range s.Subject {
		subjects[subject.Name] = subject.Digest["sha256"]
	}
	for _, p := range r.list {
		if described := p.name == "SHA256SUMS" || p.name == "provenance.intoto.json"; !described && subjects[p.name] != p.sum {
			t.Errorf("the statement has the digest %q for %s, want %s", subjects[p.name], p.name, p.sum)
		}
	}
}

// A second build of all platforms, of another checkout in another folder and with empty caches
// of packages, gives the same files with the same bytes.
func TestReleaseReproducible(t *testing.T) {
	r := release(t)
	d := r.provenance(t).Predicate.BuildDefinition
	commit, _ := d.External["commit"].(string)
	var platforms []string
	names, _ := d.External["platforms"].([]any)
	for _, name := range names {
		platforms = append(platforms, name.(string))
	}
	checkout, out, work := filepath.Join(t.TempDir(), "a", "checkout"), t.TempDir(), t.TempDir()
	defer removeCache(work)
	command(t, "../..", nil, "git", "clone", "--quiet", "--no-checkout", ".", checkout)
	command(t, checkout, nil, "git", "checkout", "--quiet", "--detach", commit)
	program := filepath.Join(t.TempDir(), "dist")
	command(t, filepath.Join(checkout, "dev"), nil, "go", "build", "-o", program, "./dist")
	command(t, checkout, nil, program, "-out", out, "-work", work, "-platforms", strings.Join(platforms, ","))
	again, err := products(out)
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{}
	for _, p := range again {
		sums[p.name] = p.sum
	}
	for _, p := range r.list {
		if sum, ok := sums[p.name]; !ok {
			t.Errorf("the second build makes no %s", p.name)
		} else if sum != p.sum {
			t.Errorf("%s differs between two builds", p.name)
		}
		delete(sums, p.name)
	}
	for name := range sums {
		t.Errorf("only the second build makes %s", name)
	}
	t.Logf("compared %d files for %s", len(r.list), strings.Join(platforms, ", "))
}

// unpackedNames returns the names in an archive.
func unpackedNames(t *testing.T, path string) []string {
	t.Helper()
	if strings.HasSuffix(path, ".zip") {
		need(t, "unzip")
		return strings.Fields(command(t, "", nil, "unzip", "-Z1", path))
	}
	return strings.Fields(command(t, "", nil, "tar", "tzf", path))
}

// Each archive for a system that cannot run here has the parts of the others, and programs of
// its system.
func TestReleaseInspect(t *testing.T) {
	r := release(t)
	platforms, err := parsePlatforms(allPlatforms)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range platforms {
		t.Run(p.String(), func(t *testing.T) {
			path := r.path(full.archive(r.version, p))
			if _, err := os.Stat(path); err != nil {
				t.Skip("not in this release")
			}
			all := unpackedNames(t, path)
			toolchain := slices.Contains(all, "wfc/lib/wfc/go/bin/go"+p.exe())
			t.Logf("%d files, with a toolchain: %v", len(all), toolchain)
			if !toolchain && p.goos != "windows" {
				t.Error("there is no toolchain")
			}
			for _, name := range []string{"wfc/bin/wfc" + p.exe(), "wfc/LICENSE", "wfc/LICENSES.txt", "wfc/lib/wfc/bundle.json"} {
				if !slices.Contains(all, name) {
					t.Errorf("there is no %s", name)
				}
			}
			for part, least := range map[string]int{"wfc/lib/wfc/mod/modernc.org/sqlite@": 100, "wfc/lib/wfc/gocache/": 500} {
				n := 0
				for _, name := range all {
					if strings.HasPrefix(name, part) {
						n++
					}
				}
				if n < least {
					t.Errorf("%d files below %s, want at least %d", n, part, least)
				}
			}
			if p.goos == "windows" {
				return
			}
			for _, program := range []string{"wfc/bin/wfc", "wfc/lib/wfc/go/bin/go"} {
				head := []byte(command(t, "", nil, "sh", "-c", `tar xzOf "$1" "$2" | head -c 20`, "sh", path, program))
				want := map[string]string{"linux": "\x7fELF", "darwin": "\xcf\xfa\xed\xfe"}[p.goos]
				if !bytes.HasPrefix(head, []byte(want)) {
					t.Errorf("%s begins with %q", program, head)
				}
			}
		})
	}
}

// The bills of materials follow the schema of CycloneDX, by the validator of its authors.
func TestReleaseSBOM(t *testing.T) {
	r := release(t)
	need(t, "npm", "node")
	dir := t.TempDir()
	if out, err := exec.Command("npm", "install", "--prefix", dir, "--silent", "--ignore-scripts", "--no-audit", "--no-fund", "@cyclonedx/cyclonedx-library@10", "ajv@8", "ajv-formats@3", "ajv-formats-draft2019@1").CombinedOutput(); err != nil {
		t.Skipf("npm installs no validator here: %v %s", err, out)
	}
	const script = `
const { Spec, Validation } = require("@cyclonedx/cyclonedx-library");
const text = require("fs").readFileSync(process.argv[1], "utf8");
new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text).then((fault) => {
  console.log(fault === null ? "valid" : JSON.stringify(fault));
});`
	for _, name := range []string{"wfc.cdx.json", "wfc-full.cdx.json"} {
		if got := command(t, dir, []string{"NODE_PATH=" + filepath.Join(dir, "node_modules")}, "node", "-e", script, r.path(name)); strings.TrimSpace(got) != "valid" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// The formulas name archives of the release, with their checksums, for each system of Homebrew.
func TestReleaseFormulas(t *testing.T) {
	r := release(t)
	sums := map[string]string{}
	for _, p := range r.list {
		sums[p.name] = p.sum
	}
	for _, v := range []variant{small, full} {
		text, err := os.ReadFile(r.path(string(v) + ".rb"))
		if err != nil {
			t.Fatal(err)
		}
		named := map[string]string{}
		name := ""
		for line := range strings.Lines(string(text)) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch value = strings.Trim(value, `"`); key {
			case "url":
				name = value[strings.LastIndex(value, "/")+1:]
			case "sha256":
				named[name] = value
			}
		}
		for _, p := range []platform{{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}} {
			archive := v.archive(r.version, p)
			if _, ok := sums[archive]; !ok {
				continue // not in this release
			}
			if named[archive] != sums[archive] {
				t.Errorf("%s.rb has the checksum %q for %s, want %s", v, named[archive], archive, sums[archive])
			}
			delete(named, archive)
		}
		for name := range named {
			t.Errorf("%s.rb names %s, which is not in the release", v, name)
		}
	}
}

// npm installs the packages and npx starts wfc, without a network.
func TestReleaseNPM(t *testing.T) {
	r := release(t)
	need(t, "npm", "npx")
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the packages are for linux/amd64")
	}
	dir := t.TempDir()
	environ := []string{"npm_config_cache=" + filepath.Join(dir, "cache"), "npm_config_offline=true", "npm_config_omit=optional"}
	command(t, dir, environ, "npm", "install", "--prefix", dir, "--silent", "--no-audit", "--no-fund",
		r.path("wfc-"+r.version+".tgz"), r.path("wfc-lang-wfc-linux-x64-"+r.version+".tgz"))
	if got := command(t, dir, environ, "npx", "--no-install", "wfc", "--version"); !strings.Contains(got, r.version) {
		t.Errorf("npx wfc --version prints %s", got)
	}
	cmd := exec.Command("npx", "--no-install", "wfc", "check", "nonesuch.yaml")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), environ...)
	direct := exec.Command(filepath.Join(dir, "node_modules/@wfc-lang/wfc-linux-x64/bin/wfc"), "check", "nonesuch.yaml")
	_, _ = cmd.Run(), direct.Run() // their exit codes count
	if got, want := cmd.ProcessState.ExitCode(), direct.ProcessState.ExitCode(); got != want || want == 0 {
		t.Errorf("npx wfc exits with %d, wfc with %d", got, want)
	}
}
