package house

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// accepted are the licences under which other modules may become part of wfc or
// of a built workflow, each with words that only its text has.
var accepted = []struct{ name, words string }{
	{"Apache-2.0", "Apache License"},
	{"MPL-2.0", "Mozilla Public License"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software"},
	{"ISC", "Permission to use, copy, modify, and distribute this software"},
	{"MIT", "Permission is hereby granted, free of charge"},
	{"BSD", "Redistribution and use in source and binary forms"},
}

// undeclared are modules without a licence file that are accepted all the same, with the
// reason.
var undeclared = map[string]string{
	"github.com/nexus-rpc/nexus-proto-annotations": "two generated files that go.temporal.io/api (MIT) imports, by the same authors; only binaries built with --engine temporal link it",
}

// TestLicences checks that every module that wfc or a built workflow links has
// an accepted licence.
func TestLicences(t *testing.T) {
	out := run(t, "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}", "./cmd/wfc", "./runtime/...")
	modules := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(modules)
	for _, line := range slices.Compact(modules) {
		if path, dir, ok := strings.Cut(line, " "); ok {
			if name := licence(dir); name == "" && undeclared[path] != "" {
				t.Log(path, undeclared[path])
			} else if name == "" {
				t.Errorf("%s has no accepted licence", path)
			} else {
				t.Log(path, name)
			}
		}
	}
}

// licence returns the name of the licence in a module's folder, or "".
func licence(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	for _, entry := range entries {
		name := strings.ToUpper(entry.Name())
		if !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "COPYING") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			continue
		}
		text := strings.Join(strings.Fields(string(content)), " ")
		for _, l := range accepted {
			if strings.Contains(text, l.words) {
				return l.name
			}
		}
	}
	return ""
}
