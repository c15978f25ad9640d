package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestPackages finds whatever brings a second goroutine into the tests of a package.
func TestPackages(t *testing.T) {
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":               "module example.com/m\n\ngo 1.26\n",
		"quiet/quiet.go":       "package quiet\n\nimport (\n\t\"net/url\"\n\t\"sync\"\n)\n\nvar One = sync.OnceValue(func() string { return url.PathEscape(\"go\") })\n",
		"quiet/quiet_test.go":  "package quiet\n\nimport \"testing\"\n\nfunc Test(t *testing.T) { One() }\n",
		"starts/starts.go":     "package starts\n\nfunc Do() { go func() {}() }\n",
		"starts/some_test.go":  "package starts\n\nimport \"testing\"\n\nfunc Test(t *testing.T) {}\n",
		"links/links.go":       "package links\n\nimport \"example.com/m/starts\"\n\nfunc Do() { starts.Do() }\n",
		"links/some_test.go":   "package links\n\nimport \"testing\"\n\nfunc Test(t *testing.T) {}\n",
		"outside/some_test.go": "package outside_test\n\nimport (\n\t\"testing\"\n\n\t\"example.com/m/links\"\n)\n\nfunc Test(t *testing.T) { links.Do() }\n",
		"beside/some_test.go":  "package beside\n\nimport \"testing\"\n\nfunc Test(t *testing.T) { t.Parallel() }\n",
		"serves/some_test.go":  "package serves\n\nimport (\n\t\"net/http\"\n\t\"testing\"\n)\n\nfunc Test(t *testing.T) { http.Get(\"\") }\n",
		"waits/some_test.go":   "package waits\n\nimport (\n\t\"os/exec\"\n\t\"testing\"\n)\n\nfunc Test(t *testing.T) { exec.Command(\"true\").Run() }\n",
		"watches/some_test.go": "package watches\n\nimport (\n\t\"os/exec\"\n\t\"testing\"\n)\n\nfunc Test(t *testing.T) { exec.Command(\"true\").Start() }\n",
		"long/some_test.go":    "package long\n\nimport \"testing\"\n\nfunc TestMain(m *testing.M) {\n\tif !testing.Short() {\n\t\tm.Run()\n\t}\n}\n\nfunc Test(t *testing.T) { t.Parallel() }\n",
		"some/some_test.go":    "package some\n\nimport (\n\t\"testing\"\n\n\t\"example.com/m/kit\"\n)\n\nfunc Test(t *testing.T) { t.Parallel(); kit.Skip(t) }\n",
		"kit/kit.go":           "package kit\n\nimport \"testing\"\n\nfunc Skip(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip()\n\t}\n}\n",
		"untested/untested.go": "package untested\n\nfunc Do() { go func() {}() }\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	raced, rest, err := packages(dir, "./...")
	if err != nil {
		t.Fatal(err)
	}
	for what, lists := range map[string][2][]string{
		"raced": {raced, {"beside", "links", "outside", "serves", "some", "starts", "watches"}},
		"rest":  {rest, {"long", "quiet", "some", "waits"}},
	} {
		got, want := lists[0], lists[1]
		slices.Sort(got)
		for i, name := range want {
			want[i] = "example.com/m/" + name
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
}
