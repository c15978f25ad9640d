// Package licences knows the licences under which other modules may become part of wfc or of
// a built workflow.
package licences

import (
	"os"
	"path/filepath"
	"strings"
)

// A Licence is a licence that wfc accepts.
type Licence struct {
	// Name is the SPDX identifier.
	Name string
	// words are only in the text of this licence.
	words string
}

var accepted = []Licence{
	{"Apache-2.0", "Apache License"},
	{"MPL-2.0", "Mozilla Public License"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software"},
	{"ISC", "Permission to use, copy, modify, and distribute this software"},
	{"MIT", "Permission is hereby granted, free of charge"},
	{"BSD-3-Clause", "or promote products derived from this software without specific"},
	{"BSD-2-Clause", "Redistribution and use in source and binary forms"},
}

// Of returns the licence in a module's folder, and the paths of all files with licences. ok is
// false if wfc accepts none of them.
func Of(dir string) (found Licence, files []string, ok bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return Licence{}, nil, false
	}
	for _, entry := range entries {
		name := strings.ToUpper(entry.Name())
		if entry.IsDir() || !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "COPYING") && !strings.HasPrefix(name, "NOTICE") {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		content, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		files = append(files, path)
		text := strings.Join(strings.Fields(string(content)), " ")
		for _, l := range accepted {
			if !ok && !strings.HasPrefix(name, "NOTICE") && strings.Contains(text, l.words) {
				found, ok = l, true
			}
		}
	}
	return found, files, ok
}
