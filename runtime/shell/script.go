package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// A script gets its values in one file, each ending in a NUL byte. A prelude reads them
// into variables; it precedes the script's own first line, on the same line:
//
//	{ LC_ALL=C IFS= builtin read -r -d '' A && … B; } <'FILE' || { …; exit 126; }; SCRIPT
//
// so that line numbers in messages stay those of the script, and a first line that is a
// comment, a shebang or `set -u` keeps its meaning.
//
// The alternative is a file in BASH_ENV, apart from the script. But bash ignores BASH_ENV
// in posix mode (a POSIXLY_CORRECT in the environment is enough, and the values would
// silently be missing), expands its value (a `$` in the state folder's name becomes
// code), and passes it to every bash that the script starts, until something unsets it;
// and wfc would have to source the user's BASH_ENV itself. The prelude has none of these
// problems: wfc neither reads nor changes a user's BASH_ENV, and bash treats it as usual.
//
// The prelude leaves alone: positional parameters and $0, options, IFS and the locale
// (both are set for the one command only), functions and traps, and $?, which is 0 as at
// any start. It leaves no variables but the bindings. They are unexported: variables of
// the same name are taken out of the environment, as bash exports what it has found
// there. `builtin` bypasses functions named read. The C locale makes read split at every
// NUL: in others, bash treats a NUL after an incomplete character as a part of it and
// reads on into the next value. Each read must find its NUL, so a missing or torn file
// ends the script before its first command instead of starting it with fewer values. It
// ends with 126, the code for a command that could not be executed, which no test treats
// as an answer.
//
// An argument of a program has a limit, on Linux 128 KiB. A script near it goes into a
// file, with the prelude, and bash gets the file's name. Then $0 and the beginning of
// bash's messages are that name; not all versions let wfc choose them. `eval` and
// `source` would keep them but call the ERR trap twice, change the numbering of lines,
// and let `return` work.

// longestArgument is the length in bytes from which a script goes into a file,
// and a variable into the bindings: less than every system's limit for one
// string, with room for the prelude's own growth.
const longestArgument = 100 << 10

// script is the input of bash.
type script struct {
	text     string
	options  []string // of bash itself
	bindings []flow.Binding
	environ  []string
	files    []string // to remove
	record   string   // where the guards write, "" without any
	held     bool     // it waits for its release; see gate
}

// prepareScript decides which values travel which way and checks them.
func prepareScript(b *flow.Bash, environ []string) (*script, error) {
	if strings.ContainsRune(b.Script, 0) {
		return nil, process.Invalid("the script contains a NUL byte, which bash cannot read")
	}
	s := &script{text: b.Script}
	if b.EchoEscapes {
		s.options = []string{"-O", "xpg_echo"}
	}
	bound := map[string]bool{}
	bind := func(v flow.Binding) error {
		v, err := checkBinding(v)
		if err == nil && !bound[v.Name] {
			bound[v.Name] = true
			s.bindings = append(s.bindings, v)
		}
		return err
	}
	for _, v := range b.Bindings {
		if err := bind(v); err != nil {
			return nil, err
		}
	}
	exported := make([]string, 0, len(b.Env))
	for _, v := range b.Env {
		switch {
		case bound[v.Name]: // the binding wins
		case len(v.Name)+1+len(v.Value) < longestArgument:
			entry, err := process.Entry(v)
			if err != nil {
				return nil, err
			}
			exported = append(exported, entry)
		default:
			if err := bind(flow.Binding{Name: v.Name, Value: v.Value}); err != nil {
				return nil, err
			}
		}
	}
	s.environ = make([]string, 0, len(environ)+len(exported))
	for _, entry := range environ {
		if name, _, _ := strings.Cut(entry, "="); !bound[name] {
			s.environ = append(s.environ, entry)
		}
	}
	s.environ = append(s.environ, exported...)
	return s, nil
}

// writeFiles puts what travels in files there and returns bash's arguments.
func (s *script) writeFiles(dir, name string) ([]string, error) {
	text := s.text
	if len(s.bindings) > 0 {
		path := filepath.Join(dir, "bindings", name)
		if err := s.writeFile(path, s.bindingsContent()); err != nil {
			return nil, err
		}
		text = s.bindingsPrelude(path) + text
	}
	if callsGuard(s.text) {
		s.record = recordPath(dir, name)
		s.files = append(s.files, s.record)
		if err := os.MkdirAll(filepath.Dir(s.record), 0o700); err != nil {
			return nil, fmt.Errorf("make a folder for the script's values: %w", err)
		}
		text = guardDefinitions(s.record) + text
	}
	if s.held {
		text = gate + text
	}
	if len(text) < longestArgument {
		return append(s.options, "-c", "--", text), nil
	}
	path := filepath.Join(dir, "bindings", name+".sh")
	if err := s.writeFile(path, []byte(text)); err != nil {
		return nil, err
	}
	return append(s.options, "--", filepath.ToSlash(path)), nil
}

func (s *script) writeFile(path string, content []byte) error {
	s.files = append(s.files, path)
	if err := process.WriteFile(path, content); err != nil {
		return fmt.Errorf("write the script's values: %w", err)
	}
	return nil
}

// bindingsContent returns the content of the file of bindings.
func (s *script) bindingsContent() []byte {
	length := 0
	for _, b := range s.bindings {
		length += len(b.Value) + 1
	}
	content := make([]byte, 0, length)
	for _, b := range s.bindings {
		content = append(append(content, b.Value...), 0)
	}
	return content
}

// bindingsPrelude returns what reads the bindings, without a line break.
func (s *script) bindingsPrelude(path string) string {
	var text strings.Builder
	text.WriteString("{ ")
	for i, b := range s.bindings {
		if i > 0 {
			text.WriteString(" && ")
		}
		if b.Words {
			text.WriteString(`LC_ALL=C IFS=$' \t\n' builtin read -r -d '' -a ` + b.Name)
		} else {
			text.WriteString("LC_ALL=C IFS= builtin read -r -d '' " + b.Name)
		}
	}
	text.WriteString("; } <" + plain.ShellQuote(filepath.ToSlash(path)))
	text.WriteString(" || { builtin echo 'the values for this script cannot be read' >&2; exit 126; }; ")
	return text.String()
}

// guardFailure is the failure of a guard of the script, or nil.
func (s *script) guardFailure(what string) *flow.Failure {
	if s.record == "" {
		return nil
	}
	return readViolation(s.record, what)
}

// removeFiles removes the files.
func (s *script) removeFiles() {
	for _, path := range s.files {
		_ = os.Remove(path)
	}
}

// gate precedes a script whose process starts before it may do anything; see
// process.Hold. It waits for a line on file 3, and closes that. If no line comes, the
// engine has died, and the script ends before its first command. The variable goes again,
// and `$_` is `$0`, as in a script that was started without that variable.
const gate = "{ read -r -u 3 __wfc_gate && exec 3<&-; } || exit 126; unset -v __wfc_gate; : \"$0\"; "

// canBeHeld reports whether a script can wait behind the gate: no variable may make bash
// run other commands before it, and no function of the environment may replace the
// commands of the gate.
func canBeHeld(environ []string) bool {
	if runtime.GOOS == "windows" { // has no further files to hand down
		return false
	}
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "BASH_FUNC_") {
			return false
		}
		switch name {
		case "BASH_ENV", "SHELLOPTS", "BASHOPTS", "POSIXLY_CORRECT", "BASH_XTRACEFD":
			return false
		}
	}
	return true
}
