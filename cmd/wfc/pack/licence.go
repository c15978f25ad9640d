package pack

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// licenceFile matches the names of files with a licence.
var licenceFile = regexp.MustCompile(`(?i)^(un)?licen[cs]e([.-].*)?$|^copying([.-].*)?$`)

// IsLicence reports whether a file at the top of a folder has a licence, by its name.
func IsLicence(name string) bool {
	return !strings.Contains(name, "/") && licenceFile.MatchString(name)
}

var licenceTag = regexp.MustCompile(`SPDX-License-Identifier:\s*([A-Za-z0-9.+() -]*[A-Za-z0-9.+)])`)

// licences are words of each licence, in lower case; a file with all of them has it. The first
// one counts.
var licences = []struct {
	id    string
	words []string
}{
	{"AGPL-3.0", []string{"gnu affero general public license", "version 3"}},
	{"LGPL-3.0", []string{"gnu lesser general public license", "version 3"}},
	{"LGPL-2.1", []string{"gnu lesser general public license", "version 2.1"}},
	{"GPL-3.0", []string{"gnu general public license", "version 3"}},
	{"GPL-2.0", []string{"gnu general public license", "version 2"}},
	{"MPL-2.0", []string{"mozilla public license", "2.0"}},
	{"Apache-2.0", []string{"apache license", "version 2.0"}},
	{"BSL-1.1", []string{"business source license 1.1"}},
	{"Unlicense", []string{"free and unencumbered software released into the public domain"}},
	{"CC0-1.0", []string{"cc0 1.0 universal"}},
	{"BSD-3-Clause", []string{"redistribution and use in source and binary forms", "neither the name"}},
	{"BSD-2-Clause", []string{"redistribution and use in source and binary forms"}},
	{"ISC", []string{"permission to use, copy, modify, and", "distribute this software for any purpose with or without fee"}},
	{"MIT", []string{"permission is hereby granted, free of charge", "without restriction"}},
}

// NoLicence is the licence of a pack without one: nobody but its authors may use it.
const NoLicence = "none"

// detectLicence returns the SPDX ids of the licences of a pack, or "unknown" with the file.
func detectLicence(files []File) string {
	var found []string
	for _, f := range files {
		if !IsLicence(f.Path) {
			continue
		}
		id := "unknown (" + path.Base(f.Path) + ")"
		text := strings.ToLower(strings.Join(strings.Fields(string(f.Content)), " "))
		if tag := licenceTag.FindSubmatch(f.Content); tag != nil {
			id = string(tag[1])
		} else if i := slices.IndexFunc(licences, func(l struct {
			id    string
			words []string
		}) bool {
			return !slices.ContainsFunc(l.words, func(words string) bool { return !strings.Contains(text, words) })
		}); i >= 0 {
			id = licences[i].id
		}
		found = plain.AddNew(found, id)
	}
	if found == nil {
		return NoLicence
	}
	return strings.Join(found, ", ")
}
