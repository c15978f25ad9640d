package pack_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/pack"
)

func TestSelect(t *testing.T) {
	var entries []pack.Entry
	for _, name := range strings.Fields("a.yaml commands/x.md .shared/m.py .archon/workflows/b.yaml .archon/config.yaml wfc.yaml sub/WFC.yml wfc.lock .github/ci.yml .env a/.npmrc .xprompts") {
		entries = append(entries, pack.Entry{Path: name})
	}
	entries = append(entries, pack.Entry{Path: ".claude/x", Kind: pack.Link}, pack.Entry{Path: ".mod", Kind: pack.Submodule})
	s, err := pack.Select(entries)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(s.Files, s.Settings, s.Left); got != "[{a.yaml 0} {commands/x.md 0} {.shared/m.py 0} {.archon/workflows/b.yaml 0}] "+
		"[{.archon/config.yaml 0} {wfc.yaml 0} {sub/WFC.yml 0} {wfc.lock 0}] "+
		"[.archon/config.yaml wfc.yaml sub/WFC.yml wfc.lock .github/ci.yml .env a/.npmrc .xprompts .claude/x .mod]" {
		t.Error(got)
	}
}

func TestSelectRefuses(t *testing.T) {
	many := make([]string, pack.MostFiles+1)
	for i := range many {
		many[i] = fmt.Sprint("f", i)
	}
	for names, want := range map[string]string{
		"/etc/passwd":            "is not a path inside the pack",
		"../x":                   "is not a path inside the pack",
		"a/../../x":              "is not a path inside the pack",
		"a//b":                   "is not a path inside the pack",
		`a\b`:                    "is not a path inside the pack",
		"c:x":                    "is not a path inside the pack",
		".git/config":            "is data of git",
		"a/.GIT/hooks/x":         "is data of git",
		".git ./x":               "is data of git",
		"GIT~1/x":                "is data of git",
		".g\u200cit/x":           "is data of git",
		"aux.yaml":               "is the name of a device on Windows",
		"a/NUL":                  "is the name of a device on Windows",
		"a./b":                   "ends with a point or a space",
		"a?b":                    "contains a character",
		"a\x01b":                 "contains a character",
		"cafe\u0301.md":          "contains a character",
		"a\xff":                  "is not UTF-8",
		strings.Repeat("x", 300): "is longer than 240 bytes",
		"A.md|a.md":              "`A.md` and `a.md` are one file",
		"A/x|a/y":                "`A` and `a` are one file",
		"a|a/b":                  "`a` and `a` are one file",
		"a/b|A":                  "`a` and `A` are one file",
		"x|x":                    "exists twice",
		strings.Join(many, "|"):  "it has 2001 files",
		".github/x":              "it has no files",
		"ok|link@":               "`link` is a symbolic link",
		"ok|module#":             "`module` is a submodule",
		"ok|/a|link@":            "`/a` is not a path inside the pack\n  `link` is a symbolic link", // all at once
	} {
		var entries []pack.Entry
		for name := range strings.SplitSeq(names, "|") {
			e := pack.Entry{Path: name}
			if link, ok := strings.CutSuffix(name, "@"); ok {
				e = pack.Entry{Path: link, Kind: pack.Link}
			} else if module, ok := strings.CutSuffix(name, "#"); ok {
				e = pack.Entry{Path: module, Kind: pack.Submodule}
			}
			entries = append(entries, e)
		}
		if _, err := pack.Select(entries); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v", names, err)
		}
	}
}

func TestManifest(t *testing.T) {
	flow := pack.File{Path: "review/review.yaml", Content: []byte("name: review\n")}
	manifest := func(entries string) string {
		return `{"schemaVersion": 1, "kind": "workflow-pack", "name": "kit", "description": "d", "entrypoints": ` + entries + `}`
	}
	good := manifest(`{"review": "review/review.yaml"}`)
	for text, want := range map[string]string{
		good: "",
		strings.Replace(good, `"name"`, `"compatibility": {"archon": ">=0.11.0"}, "name"`, 1):                        "",
		strings.Replace(good, `"name"`, `"compatibility": {"archon": ">=0.11.1 <0.12.0 || ^1.0.0-rc.1"}, "name"`, 1): "",
		strings.Replace(good, `"name"`, `"compatibility": {"archon": "0.x"}, "name"`, 1):                             "is not a range",
		strings.Replace(good, "workflow-pack", "chat", 1):                                                            "it is a chat plugin",
		strings.Replace(good, "1", "2", 1):                                                                           "`schemaVersion` is 2",
		strings.Replace(good, `"kit"`, `"Kit"`, 1):                                                                   "is not of lower-case words",
		strings.Replace(good, `"d"`, `""`, 1):                                                                        "`description` is missing",
		strings.Replace(good, "workflow-pack", "forge", 1):                                                           "it is a forge plugin",
		strings.Replace(good, "workflow-pack", "theme", 1):                                                           "unknown `kind`",
		strings.Replace(good, `"name"`, `"hooks": [], "name"`, 1):                                                    "unknown key `hooks`",
		manifest(`{}`):                         "names no workflow",
		manifest(`{"a": "review/other.yaml"}`): "which the pack lacks",
		manifest(`{"a": "../x.yaml"}`):         "is not FOLDER/FILE.yaml",
		manifest(`{"a": "review/review.yaml", "b": "review/review.yaml"}`): "two entrypoints name",
		"{\n,": "unexpected `,` at line 2, column 1",
	} {
		_, err := pack.New(pack.Source{}, []pack.File{flow, {Path: "archon-plugin.json", Content: []byte(text)}})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", text, err)
		}
	}
	two := []pack.File{flow, {Path: "review/b.yml"}, {Path: "archon-plugin.json", Content: []byte(good)}}
	if _, err := pack.New(pack.Source{}, two); err == nil || !strings.Contains(err.Error(), "must have one .yaml file and has 2") {
		t.Error(err)
	}
}

func TestNewRefuses(t *testing.T) {
	half := make([]byte, 15<<20)
	for want, files := range map[string][]pack.File{
		"is a pointer of Git LFS":             {{Path: "a", Content: []byte("version https://git-lfs.github.com/spec/v1\noid sha256:0\n")}},
		"`a` is larger than 16 MiB":           {{Path: "a", Content: make([]byte, 17<<20)}},
		"its files have 75 MiB, more than 64": {{Path: "a", Content: half}, {Path: "b", Content: half}, {Path: "c", Content: half}, {Path: "d", Content: half}, {Path: "e", Content: half}},
	} {
		if _, err := pack.New(pack.Source{}, files); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestLicences(t *testing.T) {
	for text, want := range map[string]string{
		"Permission is hereby granted, free of charge, to any person\nobtaining a copy, without\nrestriction": "MIT",
		"                 Apache License\n           Version 2.0, January 2004":                               "Apache-2.0",
		"GNU AFFERO GENERAL PUBLIC LICENSE\nVersion 3":                                                        "AGPL-3.0",
		"SPDX-License-Identifier: MIT OR Apache-2.0\n":                                                        "MIT OR Apache-2.0",
		"Do what you like.": "unknown (LICENSE.md)",
	} {
		p, err := pack.New(pack.Source{}, []pack.File{{Path: "LICENSE.md", Content: []byte(text)}, {Path: "docs/LICENSE"}})
		if err != nil || p.Licence != want {
			t.Errorf("%q: %+v, %v", text, p, err)
		}
	}
	if p, err := pack.New(pack.Source{}, []pack.File{{Path: "a.md"}}); err != nil || p.Licence != pack.NoLicence {
		t.Errorf("%+v, %v", p, err)
	}
}
