package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFaults finds what does not compile for one system: in the packages that are named, and what
// these import of others.
func TestFaults(t *testing.T) {
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":               "module example.com/m\n\ngo 1.26\n",
		"one.go":               "package m\n\nimport (\n\t\"example.com/m/below\"\n\t\"os\"\n)\n\nfunc One() int { return below.Size() + os.O_RDONLY }\n",
		"body_windows.go":      "package m\n\nfunc two() string { return 2 }\n",
		"below/below_linux.go": "package below\n\nfunc Size() int { return 1 }\n",
		"below/below_other.go": "//go:build !linux\n\npackage below\n\nfunc Size() string { return \"\" }\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for system, want := range map[string][]string{
		"linux/amd64":   nil,
		"windows/amd64": {"body_windows.go:3:", "one.go:8:"},
		"js/wasm":       {"one.go:8:"},
	} {
		name, arch, _ := strings.Cut(system, "/")
		found, err := target{name, arch, dir, "."}.faults()
		if err != nil || len(found) != len(want) {
			t.Errorf("%s: %v, %v, want %q", system, found, err, want)
			continue
		}
		for i, fault := range found {
			if !strings.Contains(fault.Error(), want[i]) {
				t.Errorf("%s: %v, want %s", system, fault, want[i])
			}
		}
	}
	if _, err := (target{"linux", "amd64", dir, "./missing"}).faults(); err == nil {
		t.Error("a package that is not there is no error")
	}
}
