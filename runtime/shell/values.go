package shell

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// checkBinding returns the binding as the script gets it, or why it cannot.
func checkBinding(b flow.Binding) (flow.Binding, error) {
	if !isIdentifier(b.Name) {
		return b, process.Invalid("`%s` cannot be the name of a shell variable", b.Name)
	}
	if strings.ContainsRune(b.Value, 0) {
		return b, process.Invalid("the value of $%s contains a NUL byte, which a shell variable cannot contain", b.Name)
	}
	if b.Integer {
		number, err := bashInteger(b.Value)
		if err != nil {
			return b, process.Invalid("the script calculates with $%s, so it must be an integer: %v", b.Name, err)
		}
		b.Value = number
	}
	if b.Echoed {
		b.Value = escapeForEcho(b.Value)
	}
	return b, nil
}

// escapeForEcho returns the argument with which an echo that interprets backslashes prints a
// string. It writes a dash at the beginning as its number, so that echo does not read an
// option.
func escapeForEcho(text string) string {
	text = strings.ReplaceAll(text, `\`, `\\`)
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		return `\0055` + rest
	}
	return text
}

// bashInteger returns a number as bash calculates with it. Bash evaluates the text
// of a variable like code, so nothing may pass but a sign and digits. White
// space around them is dropped. So are zeros in front, which would make bash
// read the number as octal: 010 as 8, and 08 not at all. A number of more than
// 64 bits would silently become another one.
func bashInteger(text string) (string, error) {
	text = strings.Trim(text, " \t\r\n")
	sign, digits := "", text
	if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") {
		sign, digits = text[:1], text[1:]
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return "", fmt.Errorf("it is %s", quoteValue(text))
	}
	if digits = strings.TrimLeft(digits, "0"); digits == "" {
		digits = "0"
	}
	if _, err := strconv.ParseInt(sign+digits, 10, 64); err != nil {
		return "", fmt.Errorf("%s does not fit into 64 bits", quoteValue(text))
	}
	return sign + digits, nil
}

// quoteValue shows a value in a message.
func quoteValue(text string) string {
	if text == "" {
		return "empty"
	}
	return plain.Quoted(text)
}

func isIdentifier(name string) bool {
	for i, r := range name {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// Arithmetic in bash evaluates the text of its variables as code. The compiler
// writes a guard before every variable that it cannot prove an integer:
//
//	{ __wfc_int n "${n-}" && (( n > 3 )); }
//	[[ -n $n && $(__wfc_num n "${n-}") -gt 3 ]]
//
// The prelude defines both functions in a script that calls them. A guard
// compares text with patterns and evaluates nothing. It lets an integer pass as
// bash reads one, in decimal, octal (010), hexadecimal (0x1f) or with a base
// (16#1f), with a sign and with spaces, tabs and line breaks around it; and
// nothing at all, which is 0 to bash.
//
// Any other text ends the script: the guard writes the variable's name, the line
// and the text into the record, a file of the run's folder, and leaves. The
// script cannot overrule that. Its exit code does not count when there is a
// record, so `|| true`, a condition, a trap or a pipeline swallow nothing. In a
// subshell a guard ends the script's own shell by SIGTERM; a script that catches
// the signal continues to its end, and fails there.
//
// __wfc_name does the same for names of variables, whose subscripts bash evaluates: it
// lets names pass with an integer in brackets, or the name of a variable that has one
// unless the guard is for a fixed name, or a key without special characters.
const (
	guardFunction = "__wfc_int"
	guardOutput   = "__wfc_num"
	guardNames    = "__wfc_name"
)

// callsGuard reports whether a script calls a guard.
func callsGuard(text string) bool {
	return strings.Contains(text, guardFunction) || strings.Contains(text, guardOutput) || strings.Contains(text, guardNames)
}

// guardText are the definitions of the guards, with RECORD for the record's path
// as a word of the shell. Digits are listed one by one, since ranges depend on the
// locale. The output of __wfc_num is valid anywhere in an expression: 0 for an empty
// value, and a number with a sign in parentheses.
const guardText = `__wfc_stop() { local __wfc_l=${BASH_LINENO[1]}; [[ ${FUNCNAME[2]-} != __wfc_n* ]] || __wfc_l=${BASH_LINENO[2]}; ` +
	`builtin printf '%s\0%s\0%s\0%s' "${3-}" "$1" "$__wfc_l" "$2" >|RECORD; [[ $BASH_SUBSHELL = 0 ]] || builtin kill -s TERM $$; builtin exit 1; }; ` +
	`__wfc_int() { local __wfc_v __wfc_b=$' \t\n'; while [[ -n ${1+x} ]]; do __wfc_v=${2-}; ` +
	`__wfc_v=${__wfc_v#"${__wfc_v%%[!$__wfc_b]*}"}; __wfc_v=${__wfc_v%"${__wfc_v##*[!$__wfc_b]}"}; case $__wfc_v in [-+]?*) __wfc_v=${__wfc_v#?};; esac; ` +
	`case $__wfc_v in '') ;; ` +
	`0[xX]?*) case ${__wfc_v#??} in *[!0123456789abcdefABCDEF]*) __wfc_stop "$1" "$2";; esac;; ` +
	`[123456789]#?*|[123456][0123456789]#?*) case ${__wfc_v#*#} in *[!0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@_]*) __wfc_stop "$1" "$2";; esac;; ` +
	`*[!0123456789]*|0*[89]*) __wfc_stop "$1" "$2";; esac; builtin shift 2; done; }; ` +
	`__wfc_num() { __wfc_int "$1" "$2" && case $2 in *[-+]*) builtin printf '(%s)' "$2";; *[!$' \t\n']*) builtin printf %s "$2";; *) builtin printf 0;; esac; }; ` +
	`__wfc_name() { local __wfc_k=$1 __wfc_m=$2 __wfc_w __wfc_s __wfc_t __wfc_a=0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ; builtin shift 2; ` +
	`for __wfc_w; do __wfc_s=0 __wfc_t=$__wfc_w; case $__wfc_t in *\[*) __wfc_s=${__wfc_t#*\[}; __wfc_s=${__wfc_s%\]*}; __wfc_t=${__wfc_t%%\[*};; esac; __wfc_t=${__wfc_t%%[+=]*}; ` +
	`case $__wfc_t in *[!$__wfc_a]*) __wfc_stop "$__wfc_m" "$__wfc_w" name;; esac; ` +
	`case $__wfc_s in '' | @ | \* | [0123456789] | -[0123456789]) ;; *[!$__wfc_a]* | [0123456789]*) __wfc_t=$(builtin declare -p "$__wfc_t" 2>/dev/null); __wfc_t=${__wfc_t#declare -}; ` +
	`case ${__wfc_t%% *} in *A*) case $__wfc_s in *[\$\` + "`" + `\\\"\'\[\]]*) __wfc_stop "$__wfc_m" "$__wfc_w" name;; esac;; *) case ${__wfc_s#-} in *[!0123456789]*) __wfc_stop "$__wfc_m" "$__wfc_w" name;; esac;; esac;; ` +
	`*) __wfc_t=$(builtin declare -p "$__wfc_t" 2>/dev/null); __wfc_t=${__wfc_t#declare -}; case ${__wfc_t%% *}$__wfc_k in *Aany | *Afixed) ;; *any) __wfc_int "$__wfc_s" "${!__wfc_s-}";; *) __wfc_stop "$__wfc_m" "$__wfc_w" name;; esac;; esac; done; }; `

// guardDefinitions returns the definitions of the guards, which write the record at path.
func guardDefinitions(path string) string {
	return strings.ReplaceAll(guardText, "RECORD", plain.ShellQuote(filepath.ToSlash(path)))
}

// readRecord reads the record. The script can put a link there, which does not lead out of the
// folder of the step's files.
func readRecord(path string) ([]byte, error) {
	root, err := os.OpenRoot(filepath.Dir(filepath.Dir(path)))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.OpenFile(filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path)), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, errors.New("not a regular file"))
	}
	return wholefile.Source.From(f, path)
}

// readViolation is the failure in the record, or nil.
func readViolation(path, what string) *flow.Failure {
	content, err := readRecord(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	parts := strings.SplitN(string(content), "\x00", 4)
	if err != nil || len(parts) < 4 {
		return &flow.Failure{Class: flow.ClassFatal, Reason: process.ReasonValue, Message: what + " failed: it calculates with a string that is not an integer"}
	}
	rule := "calculates with %s, so it must be an integer"
	if parts[0] == "name" {
		rule = "uses %s as the name of a variable, so it must be a name, with an integer in brackets at most"
	}
	return &flow.Failure{Class: flow.ClassFatal, Reason: process.ReasonValue, Message: fmt.Sprintf(
		"%s failed: line %s "+rule+", but it is %s", what, parts[2], variableLabel(parts[1]), quoteValue(parts[3]))}
}

// variableLabel names a variable in a message.
func variableLabel(name string) string {
	if isIdentifier(name) || strings.Trim(name, "0123456789@*") == "" {
		return "`$" + name + "`"
	}
	return "`" + name + "`"
}

// recordPath is the path of the record of a script.
func recordPath(dir, name string) string { return filepath.Join(dir, "bindings", name+".guard") }
