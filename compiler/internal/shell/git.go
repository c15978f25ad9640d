package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// checkGit checks the options of git itself, and returns its command with the
// arguments after it.
func (s *script) checkGit(c *command, words []*syntax.Word) []*syntax.Word {
	const safe = "keep values out of settings that run programs"
	for i := 0; i < len(words); i++ {
		a := s.read(words[i])
		if !strings.HasPrefix(a.text, "-") {
			s.checkGitCommand(words[i:])
			return words[i:]
		}
		switch {
		case a.full && a.text == "-c" && i+1 < len(words):
			i++
			s.checkSetting(words[i], "`git -c`", safe)
		case strings.HasPrefix(a.text, "-c") && a.text != "-c":
			s.checkSetting(words[i], "`git -c`", safe)
		case strings.HasPrefix(a.text, "--exec-path="), strings.HasPrefix(a.text, "--config-env="):
			s.refuseCode(words[i], "`git`", safe)
		case a.full && slices.Contains(gitTool.ValueFlags, a.text):
			i++
		case !a.full && strings.Trim(a.text, "-") == "":
			s.refuseCode(words[i], "`git`", safe)
		}
	}
	return nil
}

// checkSetting refuses a value in KEY=VALUE when the key is one that runs
// programs, or a value itself.
func (s *script) checkSetting(w *syntax.Word, title, safe string) {
	key, _, ok := strings.Cut(strings.TrimPrefix(s.read(w).text, "-c"), "=")
	if !ok || runsSetting(key) {
		s.refuseCode(w, title, safe)
	}
}

// runsSetting reports whether a setting of git names a program.
func runsSetting(key string) bool {
	key = strings.ToLower(key)
	for _, part := range []string{"alias.", "pager", "editor", "command", "cmd", "hookspath", "fsmonitor", "external", "textconv", "helper", "askpass", "program", "driver", "clean", "smudge", "process",
		"sshcommand", "gitproxy", "uploadpack", "receivepack", "include", "template", "packobjectshook", "attributesfile", "protocol.", "insteadof", "trustexitcode", "browser", "man.", "remote.", "worktree", "url."} {
		if strings.Contains(key, part) {
			return true
		}
	}
	return false
}

// checkGitCommand checks the commands of git that set settings or run the rest of
// their line.
func (s *script) checkGitCommand(words []*syntax.Word) {
	const safe = "keep values out of settings that run programs"
	switch s.read(words[0]).text {
	case "config":
		var operands []*syntax.Word
		for _, w := range words[1:] {
			if a := s.read(w); !strings.HasPrefix(a.text, "-") {
				operands = append(operands, w)
			}
		}
		if len(operands) > 1 && s.read(operands[0]).text == "set" {
			operands = operands[1:]
		}
		if len(operands) < 2 {
			return
		}
		if key := s.read(operands[0]); !key.full || runsSetting(key.text) {
			for _, w := range operands {
				s.refuseCode(w, "`git config`", safe)
			}
		}
	case "submodule":
		for i, w := range words {
			if s.read(w).text == "foreach" {
				for _, rest := range words[i+1:] {
					s.refuseCode(rest, "`git submodule foreach`", safe)
				}
			}
		}
	case "clone":
		for i, w := range words[:len(words)-1] {
			if a := s.read(w); a.full && (a.text == "-c" || a.text == "--config") {
				s.checkSetting(words[i+1], "`git clone -c`", safe)
			}
		}
	}
}
