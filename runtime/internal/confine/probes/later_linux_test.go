package probes_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// laterProbes leave something that wfc reads or starts later, outside of the sandbox, or a program
// that wfc or a person starts.
var laterProbes = []probe{
	// Settings of wfc beside wfc.yaml.
	{name: "settings of Archon", scripts: plants(".archon/config.yaml", `mkdir .archon; echo '# won' >.archon/config.yaml`)},
	{name: "triggers of Archon", scripts: plants(".archon/triggers", `mkdir -p .archon/triggers; echo won >.archon/triggers/a.json`)},
	{name: "settings of Archon of a workflow that has run", setup: func(h *home) {
		h.write("work/flows/.archon/config.yaml", "{}\n")
		h.began("work/flows/.archon/workflows/f.yaml", "outside/any")
	}, scripts: plants("flows/.archon/config.yaml", `echo '# won' >flows/.archon/config.yaml`)},
	{name: "the lock of packs", setup: func(h *home) { h.write("work/wfc.lock", "{}") }, scripts: plants("wfc.lock", `echo won >wfc.lock`)},
	{name: "settings of an agent in the folder of the run", dir: "work/sub",
		scripts: plants(".claude/settings.json", `mkdir .claude; echo won >.claude/settings.json`)},
	{name: "a repository in the folder of the run", dir: "work/sub", scripts: plants(".git/config", `mkdir .git; echo '# won' >.git/config`)},

	// Links.
	{name: "a second name of settings", setup: func(h *home) {
		h.write("work/wfc.yaml", "sandbox: on\n")
		h.must(os.Link(h.path("work/wfc.yaml"), h.path("work/other")))
	}, scripts: plants("wfc.yaml", `echo won >other`)},
	{name: "a second name of a hook", setup: func(h *home) {
		h.must(os.Link(h.path("work/.git/hooks/pre-commit"), h.path("work/hook")))
	}, scripts: plants(".git/hooks/pre-commit", `echo won >hook`)},
	{name: "a second name of a program of an earlier run", setup: func(h *home) {
		h.write("work/earlier", "#!/bin/sh\n")
		h.must(os.Link(h.path("work/earlier"), h.path("work/other")))
		h.began("", "work/earlier")
	}, scripts: plants("earlier", `echo won >other`)},
	{name: "settings that are a link", setup: linkSettings, scripts: plants("wfc.yaml", `rm wfc.yaml; echo won >wfc.yaml`)},
	{name: "no settings where a link leads to some", setup: linkSettings, scripts: try(`rm wfc.yaml`), won: func(h *home) bool { return !exists(h.path("work/wfc.yaml")) }},
	{name: "a hook that is a link", setup: func(h *home) {
		h.write("work/tools/hook", "#!/bin/sh\n")
		h.must(os.Symlink("../../tools/hook", h.path("work/.git/hooks/post-merge")))
	}, scripts: plants("tools/hook", `echo won >tools/hook`)},
	{name: "a hook that is a link, in a folder that is moved", setup: func(h *home) {
		h.write("work/tools/hook", "#!/bin/sh\n")
		h.must(os.Symlink("../../tools/hook", h.path("work/.git/hooks/post-merge")))
	}, scripts: plants("tools/hook", `mv tools t; mkdir tools; echo won >tools/hook`)},

	{name: "settings of people behind a link", gate: true, setup: func(h *home) {
		h.must(os.RemoveAll(h.path("work/.claude")))
		h.write("home/.claude/settings.json", "{}")
	}, scripts: try(`ln -s "$HOME/.claude" .claude`), won: func(h *home) bool { return !exists(h.path("home/.claude/settings.json")) }},
	{name: "settings behind a link", setup: func(h *home) { h.must(os.RemoveAll(h.path("work/.claude"))) },
		scripts: plants(".claude/settings.json", `mkdir c; echo won >c/settings.json; ln -s c .claude`)},
	{name: "the program of an earlier run that is gone", setup: func(h *home) { h.began("", "work/earlier") }, scripts: plants("earlier", `echo won >earlier`)},

	// Commands of agents.
	{name: "the program of an agent", setup: func(h *home) { h.write("work/agent/ask.sh", "#!/bin/sh\n") },
		scripts: plants("agent/ask.sh", `echo won >agent/ask.sh || { mv agent a; mkdir agent; echo won >agent/ask.sh; }`)},
	{name: "a script of an agent", setup: func(h *home) { h.write("work/agent/words", "") }, scripts: plants("agent/words", `echo won >agent/words`)},

	// What git's settings name.
	{name: "a folder of hooks", setup: gitSettings("[core]\n\thooksPath = tools/hooks # ours\n", "tools/hooks/any"),
		scripts: plants("tools/hooks/pre-commit", `echo won >tools/hooks/pre-commit`)},
	{name: "a folder of hooks of the user", setup: func(h *home) {
		h.write("home/.gitconfig", "[Core]\n\tHOOKSPATH=hooks\n")
	}, scripts: plants("hooks/pre-commit", `mkdir hooks; echo won >hooks/pre-commit`)},
	{name: "settings that git includes", setup: gitSettings("[include]\n\tpath = ../team.gitconfig\n", "team.gitconfig"),
		scripts: plants("team.gitconfig", `echo won >team.gitconfig`)},
	{name: "new settings that git includes", setup: gitSettings("[includeIf \"onbranch:x]\"]\n\tpath = ../team.gitconfig\n"),
		scripts: plants("team.gitconfig", `echo won >team.gitconfig`)},
	{name: "settings that included settings include", setup: func(h *home) {
		gitSettings("[include] path = ../a/one\n")(h)
		h.write("work/a/one", "[include]\n\tpath = two\n")
		h.write("work/a/two", "[filter \"x\"]\n\tclean = \"sh \\\"$(git rev-parse --show-toplevel)\\\"; tools/clean\" %f\n")
		h.write("work/tools/clean", "")
	}, scripts: map[string]string{"try": `echo won >a/two; echo won >tools/clean`, "trusted": `grep -q won a/two && echo won >proof; grep -q won tools/clean && echo won >proof; true`}},
	{name: "a program that git's settings name", setup: gitSettings("[filter \"x\"]\n\tprocess = ./tools/filter \\\n  --fast\n", "tools/filter"),
		scripts: plants("tools/filter", `echo won >tools/filter`)},
	{name: "a second work tree's hooks", setup: func(h *home) {
		// As `git worktree add` makes it, of a repository outside.
		h.must(os.RemoveAll(h.path("work/.git")))
		h.write("outside/repo/config", "[core]\n\thooksPath = tools/hooks\n")
		h.write("outside/repo/worktrees/w/commondir", "../..\n")
		h.write("outside/repo/worktrees/w/gitdir", h.path("work/.git")+"\n")
		h.write("work/.git", "gitdir: "+h.path("outside/repo/worktrees/w")+"\n")
		h.write("work/tools/hooks/any", "")
	}, scripts: plants("tools/hooks/pre-commit", `echo won >tools/hooks/pre-commit`)},
	{name: "a repository for wfc's own git", dir: "work/sub", needs: []string{"git"}, setup: func(h *home) {
		h.calls(nil, "git", "init", "-q")
	}, scripts: map[string]string{
		// The filter of a repository that is made again and again, whenever wfc moves it away.
		"try": `cat >evil <<END
#!/bin/sh
echo won >"$D/outside/proof"
cat
END
chmod +x evil; echo '* filter=x' >.gitattributes; git init -q r; cp .gitattributes r; git -C r add -A; git -C r config filter.x.clean "$PWD/evil"
(setsid sh -c 'i=0; while [ $i -lt 200000 ] && [ ! -e "$D/outside/proof" ] && [ -d r ]; do i=$((i+1))
[ -e .git/config ] && [ -e .git/index ] || { mkdir -p .git; cp -r r/.git/. .git/; }
[ -e planted ] || : >planted; done' </dev/null >/dev/null 2>&1 &)
until [ -e planted ]; do sleep 0.02; done`,
		"checked": `true`,
	}, won: says("outside/proof")},
}

// TestSettingsThatNameNothing runs a step in a repository whose settings name no file, but could seem to
// name folders.
func TestSettingsThatNameNothing(t *testing.T) {
	needs(t)
	for _, text := range []string{"[include]\n\tpath =\n[core]\n\thooksPath =\n", "[core]\n\thooksPath = .\n\tbare\n[remote \"x\"]\n\turl = ./try\n"} {
		h := newHome(t, "state")
		gitSettings(text)(h)
		h.write("work/try", "echo done >written && echo done >.git/own && mkdir tools && echo done >>try")
		_, out := h.calls(nil, "self", "run", "--no-ask")
		for _, name := range []string{"work/written", "work/.git/own", "work/try"} {
			if !strings.HasSuffix(h.read(name), "done\n") {
				t.Errorf("%q: the step does not write %s: %s", text, name, out)
			}
		}
	}
}

// TestTrustedStepBeside begins the first step in the sandbox while another one works outside of it.
func TestTrustedStepBeside(t *testing.T) {
	needs(t)
	h := newHome(t, "state")
	h.write("work/beside", `until [ -e later-ends ]; do sleep 0.01; done`)
	h.write("work/later", `touch later-ends`)
	_, out := h.calls([]string{trustsVariable + "=try beside"}, "self", "run", "--no-ask")
	if strings.Contains(out, "made") || h.read("work/.git/config") != "[core]\n" {
		t.Errorf("the step is told to have made what was there: %s", out)
	}
}

// linkSettings makes wfc.yaml a link in the work tree.
func linkSettings(h *home) {
	h.write("work/conf/any.yaml", "sandbox: on\n")
	h.must(os.Symlink("conf/any.yaml", h.path("work/wfc.yaml")))
}

// gitSettings adds to the settings of the repository, and makes files of the work tree.
func gitSettings(text string, files ...string) func(h *home) {
	return func(h *home) {
		h.write("work/.git/config", "[core]\n"+text)
		for _, name := range files {
			h.write(filepath.Join("work", name), "")
		}
	}
}

// must fails the test if one of some errors is not nil.
func (h *home) must(errs ...error) {
	h.t.Helper()
	if err := errors.Join(errs...); err != nil {
		h.t.Fatal(err)
	}
}
