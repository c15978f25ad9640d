package pack_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/pack"
)

func TestParseSource(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	isRepository := func(at string) bool { return at == filepath.Join(dir, "repo") }
	commit := strings.Repeat("0a", 20)
	for text, want := range map[string]pack.Source{
		"acme/flows@v1":                         {Repository: "https://github.com/acme/flows", Version: "v1", Owner: "acme"},
		"acme/flows.git/a/b@release/1.0":        {Repository: "https://github.com/acme/flows", Path: "a/b", Version: "release/1.0", Owner: "acme"},
		"acme/flows":                            {Repository: "https://github.com/acme/flows", Owner: "acme"},
		"https://host/x.git//a/b@" + commit:     {Repository: "https://host/x.git", Path: "a/b", Version: commit},
		"file:///srv/x@v1":                      {Repository: "file:///srv/x", Version: "v1"},
		"./repo/a@v1":                           {Repository: "./repo", Path: "a", Version: "v1"},
		"./repo@v1":                             {Repository: "./repo", Version: "v1"},
		filepath.Join(dir, "repo", "a") + "@v1": {Repository: filepath.ToSlash(filepath.Join(dir, "repo")), Path: "a", Version: "v1"},
	} {
		if got, err := pack.ParseSource(text, dir, isRepository); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		if want.IsCommit() != strings.HasSuffix(text, commit) {
			t.Errorf("%s: commit: %t", text, want.IsCommit())
		}
	}
	for text, want := range map[string]string{
		"":                           "is empty",
		"@v1":                        "is empty",
		"acme@v1":                    "is not the source of a pack",
		"acme/..@v1":                 "is not the source of a pack",
		"acme/flows/../x@v1":         "is not the path of a folder",
		"acme/flows/a//b@v1":         "is not the path of a folder",
		"acme/flows@":                "the tag after @ is empty",
		"acme/flows@^1.2":            "is a range of versions",
		"acme/flows@>=1":             "is a range of versions",
		"acme/flows@1.x":             "is a range of versions",
		"acme/flows@-c":              "is not the name of a tag",
		"acme/flows@a..b":            "is not the name of a tag",
		"acme/flows@v1:refs/heads/x": "is not the name of a tag",
		"http://host/x@v1":           "not with `http`",
		"ssh://git@host/x@v1":        "not with `ssh`",
		"git@host:x.git@v1":          "not from `git@host:x.git`",
		"ext::sh -c touch% x@v1":     "only over https",
		"https://u:p@host/x@v1":      "a name or a password",
		"https://host/x?y=1@v1":      "is not the URL of a git repository",
		"file://host/x@v1":           "is not the URL of a git repository",
		"https://host/x//../y@v1":    "is not the path of a folder",
		"./other@v1":                 "is in no git repository",
	} {
		if got, err := pack.ParseSource(text, dir, isRepository); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}
