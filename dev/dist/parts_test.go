package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func names(entries []entry) []string {
	var list []string
	for _, e := range entries {
		list = append(list, e.name)
	}
	slices.Sort(list)
	return list
}

func TestReadToolchain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "toolchain.zip")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	zw := zip.NewWriter(f)
	for _, name := range []string{"m@v/bin/go", "m@v/src/_go.mod", "m@v/pkg/tool/linux_amd64/compile", "m@v/lib/wasm/go_js_wasm_exec", "m@v/VERSION"} {
		if _, err := zw.Create(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	list, err := readToolchain(path, "m@v/")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		got = append(got, fmt.Sprintf("%s %v", e.name, e.program))
	}
	want := []string{"bin/go true", "src/go.mod false", "pkg/tool/linux_amd64/compile true", "lib/wasm/go_js_wasm_exec true", "VERSION false"}
	if !slices.Equal(got, want) {
		t.Errorf("the toolchain has %q, want %q", got, want)
	}
	if _, err := readToolchain(path, "other/"); err == nil {
		t.Error("read a toolchain without files")
	}
}

// Indexes of modules are of a folder, and the times of entries are of a build: neither may be
// in a release.
func TestCompiledEntries(t *testing.T) {
	dir := t.TempDir()
	hash := func(digit string) string { return strings.Repeat(digit, 64) }
	action := func(output string, at time.Time) string {
		return fmt.Sprintf("v1 %s %s %20d %20d\n", hash("a"), output, 5, at.UnixNano())
	}
	for name, text := range map[string]string{
		"aa/" + hash("a") + "-a": action(hash("b"), time.Now()),
		"bb/" + hash("b") + "-d": "code",
		"cc/" + hash("c") + "-a": action(hash("d"), time.Now()),
		"dd/" + hash("d") + "-d": "go index v2\n...",
		"README":                 "",
		"trim.txt":               "1",
		"wfc-mark":               "",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list, err := compiledEntries(dir, commitTime)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"aa/" + hash("a") + "-a", "bb/" + hash("b") + "-d"}; !slices.Equal(names(list), want) {
		t.Errorf("the entries are %q, want %q", names(list), want)
	}
	for _, e := range list {
		text, err := e.bytesOf()
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(e.name, "-a") && string(text) != action(hash("b"), commitTime) {
			t.Errorf("the entry is %q", text)
		}
	}
	if _, _, err := withTime([]byte("v2 a b c d\n"), commitTime); err == nil {
		t.Error("took an entry of an unknown form")
	}
}

// A module cache has downloads and locks that no build reads.
func TestModuleEntries(t *testing.T) {
	dir := t.TempDir()
	wanted := []string{"cache/download/m/@v/v1.mod", "cache/download/m/@v/v1.ziphash", "m@v1/go.mod", "m@v1/m.go"}
	for _, name := range append([]string{"cache/lock", "cache/download/m/@v/v1.zip", "cache/download/m/@v/v1.info", "cache/download/m/@v/v1.lock", "cache/download/m/@v/list", "cache/download/sumdb/x.mod", "cache/vcs/x"}, wanted...) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list, err := moduleEntries(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(names(list), wanted) {
		t.Errorf("the modules are %q, want %q", names(list), wanted)
	}
}

func TestNPM(t *testing.T) {
	platforms, err := parsePlatforms(allPlatforms)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := npmMain("1.2.3", platforms, nil)
	if err != nil {
		t.Fatal(err)
	}
	main := decodeManifest(t, entries)
	for _, p := range platforms {
		entries, err := npmProgram("1.2.3", p, content("bin/wfc"+p.exe(), nil), nil)
		if err != nil {
			t.Fatal(err)
		}
		m := decodeManifest(t, entries)
		if main.Optional[m.Name] != "1.2.3" {
			t.Errorf("the main package does not depend on %s", m.Name)
		}
		// The launcher finds the package by Node's names.
		if want := "@wfc-lang/wfc-" + m.OS[0] + "-" + m.CPU[0]; m.Name != want {
			t.Errorf("the package for %s is called %s, want %s", p, m.Name, want)
		}
	}
	if len(main.Optional) != len(platforms) || main.Bin["wfc"] != "bin/wfc.js" {
		t.Errorf("the main package is %+v", main)
	}
}

func decodeManifest(t *testing.T, entries []entry) manifest {
	t.Helper()
	var m manifest
	for _, e := range entries {
		if e.name == "package/package.json" {
			text, err := e.bytesOf()
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, &m); err != nil {
				t.Fatal(err)
			}
		}
	}
	return m
}

// The launcher says what to do if npm installed no program.
func TestLauncherWithoutProgram(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node here")
	}
	path := filepath.Join(t.TempDir(), "wfc.js")
	if err := os.WriteFile(path, launcher, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(node, path, "version").CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("optional dependencies")) {
		t.Errorf("%v, printed %s", err, out)
	}
}

func TestFormula(t *testing.T) {
	platforms, err := parsePlatforms(allPlatforms)
	if err != nil {
		t.Fatal(err)
	}
	var list []product
	for i, p := range platforms {
		list = append(list, product{name: small.archive("1.2.3", p), sum: fmt.Sprintf("sum%d", i)}, product{name: full.archive("1.2.3", p), sum: fmt.Sprintf("full%d", i)})
	}
	for v, want := range map[variant]string{small: "sum", full: "full"} {
		text, err := render("formula.rb", newFormula(v, "1.2.3", "https://example.com/v1.2.3", platforms, list))
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range platforms {
			block := fmt.Sprintf("url \"https://example.com/v1.2.3/%s\"\n      sha256 \"%s%d\"", v.archive("1.2.3", p), want, i)
			if got := strings.Contains(string(text), block); got != (p.goos != "windows") {
				t.Errorf("%s for %s: %v\n%s", v, p, got, text)
			}
		}
	}
}

func TestSBOM(t *testing.T) {
	licensedDir := t.TempDir()
	if err := os.WriteFile(filepath.Join(licensedDir, "LICENSE"), []byte("Permission is hereby granted, free\nof charge"), 0o644); err != nil {
		t.Fatal(err)
	}
	text, err := makeSBOM("wfc", "1.2.3", commitTime, []dependency{
		{Path: "example.com/m", Version: "v1.0.0", Sum: "h1:AAAA", Dir: licensedDir},
		{Path: "example.com/n", Version: "v1.0.0"},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var bom sbom
	if err := json.Unmarshal(text, &bom); err != nil {
		t.Fatal(err)
	}
	first, second := bom.Components[0], bom.Components[1]
	if first.PURL != "pkg:golang/example.com/m@v1.0.0" || first.Licences[0].Licence.ID != "MIT" || first.Hashes[0].Content != "000000" {
		t.Errorf("the first component is %+v", first)
	}
	if second.Licences != nil || second.Hashes != nil {
		t.Errorf("the second component is %+v", second)
	}
}

func TestPlatforms(t *testing.T) {
	if _, err := parsePlatforms("linux/amd64,linux/mips"); err == nil || !strings.Contains(err.Error(), `"linux/mips"`) {
		t.Errorf("an unknown platform: %v", err)
	}
}

func TestVersions(t *testing.T) {
	for version, ok := range map[string]bool{
		"1.2.3": true, "0.0.0-20261122222849-fff2a3a1abcd": true, "1.2.3-rc.1": true, "(devel)": false, "1.2.3+dirty": false, "": false,
	} {
		if plainVersion.MatchString(version) != ok {
			t.Errorf("%q: %v", version, !ok)
		}
	}
}

func TestEmpty(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"wfc_1.deb", "SHA256SUMS"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m := &maker{out: dir}
	if err := m.empty(); err != nil {
		t.Fatal(err)
	}
	if list, _ := products(dir); len(list) > 0 {
		t.Errorf("the older release is still there: %v", list)
	}
	if err := os.WriteFile(filepath.Join(dir, "thesis.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := m.empty(); err == nil || !strings.Contains(err.Error(), "thesis.txt") {
		t.Errorf("a file that belongs to no release: %v", err)
	}
}

// All functions are called, and after an error no further ones.
func TestInParallel(t *testing.T) {
	var calls atomic.Int64
	count := func() error { calls.Add(1); return nil }
	if err := inParallel(slices.Repeat([]func() error{count}, 50)); err != nil || calls.Load() != 50 {
		t.Errorf("%d calls, %v", calls.Load(), err)
	}
	calls.Store(0)
	broken := errors.New("the disk is full")
	fail := func() error { calls.Add(1); return broken }
	if err := inParallel(slices.Repeat([]func() error{fail}, 50)); !errors.Is(err, broken) || calls.Load() > int64(runtime.NumCPU()) {
		t.Errorf("%d calls, %v", calls.Load(), err)
	}
}
