package shell

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// nasty are values that break scripts which splice, split or expand them.
var nasty = map[string]string{
	"injection":   `'; touch pwned; "$(touch pwned)" \`,
	"backquotes":  "`touch pwned`",
	"newlines":    "a\n\nb\n\n",
	"globs":       "* ? [a-z]*",
	"dashes":      "-n -e --help",
	"empty":       "",
	"unicode":     "héllo – 日本語 🎉",
	"quotes":      `"'"'''"""` + "``",
	"backslashes": `\ \\ \n \$x \`,
	"dollars":     `$HOME ${HOME} $$ $((1+1)) $'x'`,
	"spaces":      "  two  spaces\tand tab  ",
	"ampersand":   `a&b && c | d ; e # f`,
	"delimiters":  "EOF\nEND\n\tEOF\n",
	"brackets":    `x]=$(touch pwned)`,
	"array":       `a[$(touch pwned)]`,
	"braces":      `{a,b} {1..3} }`,
	"tilde":       "~ ~root",
	"extglob":     "@(a|b) !(x)",
	"history":     "!! !x",
	"control":     "a\x01b\x7fc\x02",
}

// contexts are scripts that print the value of $a.output with something around
// it. want has «v» where the value must come out. Values are printed with
// printf, or as they are by cat.
var contexts = []struct{ name, script, want string }{
	{"bare", `printf '%s.' $a.output`, "«v»."},
	{"double", `printf '%s.' "$a.output"`, "«v»."},
	{"double with text", `printf '%s.' "x $a.output y"`, "x «v» y."},
	{"single", `printf '%s.' '$a.output'`, "«v»."},
	{"single with text", `printf '%s.' 'x $a.output "y"'`, `x «v» "y".`},
	{"ansi", `printf '%s.' $'x\t$a.output\ty'`, "x\t«v»\ty."},
	{"ansi after quote", `printf '%s.' $'it\'s $a.output'`, "it's «v»."},
	{"locale", `printf '%s.' $"x $a.output"`, "x «v»."},
	{"glued", `printf '%s.' pre$a.output:post`, "pre«v»:post."},
	{"glued after", `printf '%s.' pre-$a.output,post`, "pre-«v»,post."},
	{"before hash", `(printf '%s.' $a.output#x $a.output#$a.output)`, "«v»#x.«v»#«v»."},
	{"adjacent", `printf '%s.' $a.output$a.output`, "«v»«v»."},
	{"adjacent quoted", `printf '%s.' "$a.output$a.output"`, "«v»«v»."},
	{"after variable", `x=1; printf '%s.' $x$a.output "$x$a.output" "${x}$a.output"`, "1«v».1«v».1«v»."},
	{"after variable twice", `x=1; printf '%s.' "$x$a.output$a.output"`, "1«v»«v»."},
	{"after dollar", `printf '%s.' $$a.output "$$a.output" '$$a.output'`, "$«v».$«v».$«v»."},
	{"after two backslashes", `printf '%s.' \\$a.output "\\$a.output"`, `\«v».\«v».`},
	{"after backslash in single", `printf '%s.' '\$a.output'`, `\«v».`},
	{"after escaped dollar", `printf '%s.' \$$a.output "\$$a.output"`, `$«v».$«v».`},
	{"assignment", `x=$a.output; printf '%s.' "$x"`, "«v»."},
	{"assignment glued", `x=a:$a.output:b; printf '%s.' "$x"`, "a:«v»:b."},
	{"append", `x=1; x+=$a.output; printf '%s.' "$x"`, "1«v»."},
	{"export", `export X=$a.output; printf '%s.' "$X"`, "«v»."},
	{"export quoted whole", `export "X=$a.output"; printf '%s.' "$X"`, "«v»."},
	{"local", `f() { local x=$a.output; printf '%s.' "$x"; }; f`, "«v»."},
	{"declare", `declare -r x="$a.output"; printf '%s.' "$x"`, "«v»."},
	{"environment", `X=$a.output env printf '%s.' "$a.output"`, "«v»."},
	{"array", `x=($a.output "$a.output" '$a.output'); printf '%s.' "${#x[@]}" "${x[@]}"`, "3.«v».«v».«v»."},
	{"array index value", `x=([3]=$a.output); printf '%s.' "${x[3]}"`, "«v»."},
	{"loop words", `for x in $a.output "$a.output"; do printf '%s.' "$x"; done`, "«v».«v»."},
	{"case word", `case $a.output in "$a.output") printf 'same.' ;; *) printf 'other.' ;; esac`, "same."},
	{"case pattern", `x="$a.output"; case $x in $a.output) printf 'same.' ;; *) printf 'other.' ;; esac`, "same."},
	{"case pattern glued", `x="a$a.output"; case $x in a$a.output) printf 'same.' ;; *) printf 'other.' ;; esac`, "same."},
	{"test", `x="$a.output"; [[ $x == $a.output ]] && printf 'same.'`, "same."},
	{"test glob", `x="<$a.output>"; [[ $x == *$a.output* ]] && printf 'same.'`, "same."},
	{"test extglob", `x="$a.output"; [[ $x == @(zzz|$a.output) ]] && printf 'same.'; [[ $x == @(zzz|"$a.output"|'y') ]] && printf 'same.'`, "same.same."},
	{"old test", `x="$a.output"; [ "$x" = $a.output ] && printf 'same.'`, "same."},
	{"here-string", `cat <<< $a.output`, "«v»\n"},
	{"here-string quoted", `cat <<< "x $a.output"`, "x «v»\n"},
	{"redirect", `f=out; printf '%s.' $a.output > $f; cat < "out"`, "«v»."},
	{"process substitution", `cat <(printf '%s.' $a.output)`, "«v»."},
	{"pipe", `printf '%s.' $a.output | cat`, "«v»."},
	{"heredoc", "cat <<EOF\nx $a.output \"y\"\nEOF\n", "x «v» \"y\"\n"},
	{"heredoc alone", "cat <<EOF\n$a.output\nEOF\n", "«v»\n"},
	{"heredoc like the mask", "cat <<QQQQQQQQQ\n$a.output\nQQQQQQQQQ\n", "«v»\n"},
	{"heredoc quoted", "cat <<'EOF'\nx $a.output $HOME `id` \\ \\$ \\\\\nEOF\n", "x «v» $HOME `id` \\ \\$ \\\\\n"},
	{"heredoc quoted alone", "cat <<'EOF'\n$a.output\nEOF\n", "«v»\n"},
	{"heredoc quoted twice", "cat <<\"EOF\"\n$x$a.output\\\n$a.output`\nEOF\n", "$x«v»\\\n«v»`\n"},
	{"heredoc escaped delimiter", "cat <<\\EOF\n\\$a.output\nEOF\necho end\n", "\\«v»\nend\n"},
	{"heredoc odd delimiter", "cat <<'END OF $IT'\n$a.output $IT\nEND OF $IT\necho end\n", "«v» $IT\nend\n"},
	{"heredoc tabs", "cat <<-EOF\n\tx $a.output\n\tEOF\n", "x «v»\n"},
	{"heredoc quoted tabs", "cat <<-'EOF'\n\t\tx $a.output $y\n\tEOF\necho end", "x «v» $y\nend\n"},
	{"heredoc odd delimiter tabs", "cat <<-'END OF'\n\t\tx $a.output $y\n\tEND OF\necho end", "x «v» $y\nend\n"},
	{"two heredocs", "cat <<'A' - <(cat <<B\n$a.output\nB\n)\n1 $a.output\nA\n", "1 «v»\n«v»\n"},
	{"heredoc single quotes", "cat <<EOF\n'$a.output'\nEOF\n", "'«v»'\n"},
	{"heredoc default", "cat <<EOF\n${u:-$a.output} ${u:-'$a.output'}\nEOF\n", "«v» '«v»'\n"},
	{"default bare", `printf '%s.' ${u:-$a.output} ${u:-'$a.output'} ${u:-"$a.output"}`, "«v».«v».«v»."},
	{"default double", `printf '%s.' "${u:-$a.output}" "${u:-x"$a.output"}"`, "«v».x«v»."},
	{"default double single", `printf '%s.' "${u:-'$a.output'}"`, "'«v»'."},
	{"default double ansi", `printf '%s.' "${u:-$'a\t$a.output\tb'}"`, "a\t«v»\tb."},
	{"default nested", `printf '%s.' "${u:-${w:-'$a.output'}}"`, "'«v»'."},
	{"alternative", `y=1; printf '%s.' "${y:+$a.output}"`, "«v»."},
	{"assign default", `: "${n:=$a.output}"; printf '%s.' "$n"`, "«v»."},
	{"prefix pattern", `x="$a.output:rest"; printf '%s.' "${x#$a.output}" "${x#"$a.output"}" "${x#'$a.output'}" ${x#$a.output}`, ":rest.:rest.:rest.:rest."},
	{"suffix pattern", `x="rest:$a.output"; printf '%s.' "${x%$a.output}" ${x%%'$a.output'}`, "rest:.rest:."},
	{"replacement", `x=aXb; printf '%s.' "${x/X/$a.output}" "${x/X/'$a.output'}" "${x/X/"$a.output"}"`, "a«v»b.a«v»b.a«v»b."},
	{"heredoc pattern", "x=\"$a.output:rest\"\ncat <<EOF\n${x#$a.output} ${x#'$a.output'}\nEOF\n", ":rest :rest\n"},
	{"command substitution", `printf '%s.' "$(printf '%s.' $a.output)" "$(printf '%s.' "$a.output")"`, "«v»..«v».."},
	{"deep substitution", `printf '%s.' "$(printf '%s' "$(printf '%s' "x$a.output.")")"`, "x«v».."},
	{"backquotes", "printf '%s.' \"`printf '%s.' $a.output`\"", "«v».."},
	{"backquotes double", "x=`printf '%s.' \"$a.output\"`; printf '%s.' \"$x\"", "«v».."},
	{"backquotes inside double", "printf '%s.' \"`printf '%s.' \"$a.output\"`\" \"`printf '%s.' \\\"$a.output\\\"`\"", "«v»..«v».."},
	{"backquotes single", "x=`printf '%s.' 'x $a.output'`; printf '%s.' \"$x\"", "x «v».."},
	{"backquotes nested", "x=`printf '%s' \"\\`printf '%s.' $a.output\\`\"`; printf '%s.' \"$x\"", "«v».."},
	{"backquotes escaped dollar", "x=`printf '%s.' \\$a.output`; printf '%s.' \"$x\"", "«v».."},
	{"backquotes escaped slash", "x=`printf '%s.' \\\\\\\\$a.output`; printf '%s.' \"$x\"", "\\«v».."},
	{"backquotes heredoc", "x=`cat <<EOF\n1$a.output.\nEOF\n`; printf '%s' \"$x\"", "1«v»."},
	{"backquotes quoted heredoc", "x=`cat <<'EOF'\n1$a.output. \\\\ \\$y \\`\nEOF\n`; printf '%s' \"$x\"", "1«v». \\ $y `"},
	{"function argument", `f() { printf '%s.' "$1"; }; f $a.output`, "«v»."},
	{"function body", `f() { printf '%s.' $a.output; }; f`, "«v»."},
	{"subshell", `( printf '%s.' $a.output )`, "«v»."},
	{"group", `{ printf '%s.' $a.output; }`, "«v»."},
	{"condition", `if [[ -n x$a.output ]]; then printf '%s.' $a.output; fi`, "«v»."},
	{"continued line", "printf '%s.' \\\n  $a.output", "«v»."},
	{"brace list", `printf '%s.' {x,$a.output}`, "x.«v»."},
	{"associative key", `declare -A m; m[$a.output]=1; m=([$a.output]=2); printf '%s.' "${!m[@]}" "${m[$a.output]}"`, "«v».2."},
	{"bash -c argument", `bash -c 'printf "%s." "$1"' _ $a.output`, "«v»."},
	{"comment", "# it's $a.output `\nprintf '%s.' $a.output # \"$a.output\"", "«v»."},
	{"read", `IFS= read -r -d '' x < <(printf '%s\0' $a.output); printf '%s.' "$x"`, "«v»."},
	{"printf -v", `printf -v x '%s' $a.output; printf '%s.' "$x"`, "«v»."},
	{"return path", `[[ x$a.output == x* ]] || exit 1; printf '%s.' $a.output`, "«v»."},
}

// TestValuesArrive runs every context with every value in bash.
func TestValuesArrive(t *testing.T) {
	names := slices.Sorted(maps.Keys(nasty))
	for _, c := range contexts {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			script := mustRewrite(t, c.script)
			var values []string
			for _, name := range names {
				values = append(values, nasty[name])
			}
			switch {
			case strings.Contains(c.name, "key"):
				// Bash has no empty keys.
				values = slices.DeleteFunc(values, func(v string) bool { return v == "" })
			case !isLimited(c.name):
				values = append(values, strings.Repeat("0123456789 'x' $y\n", 300<<10/18))
			}
			for i, got := range runAll(t, script, values) {
				want := strings.ReplaceAll(c.want, "«v»", values[i])
				if got.stdout != want || got.status != "0" {
					t.Errorf("with %.60q: got %.200q (status %s), want %.200q\nscript: %s", values[i], got.stdout, got.status, want, script.Text)
				}
			}
		})
	}
}

// isLimited reports whether a context cannot take a value of 300 KiB: arguments
// and the environment of other programs have a limit of the system's, and bash
// needs minutes to match patterns of that size.
func isLimited(name string) bool {
	for _, part := range []string{"environment", "argument", "export", "pattern", "test", "case"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
