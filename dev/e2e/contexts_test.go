//go:build unix

package e2e

import "strings"

// A context is a script that prints a value, given where § stands, with
// something around it. In want, § is the value. A trailing newline would be
// taken off a node's output, so every script prints something after the value.
type context struct {
	name, script, want string
	// small says that large values do not pass: the system limits what is handed
	// to a program to 128 KiB, and bash takes minutes to match long patterns.
	small bool
}

// contexts are all the places in bash where a value may stand.
var contexts = []context{
	{name: "bare", script: `printf '%s.' §`, want: "§."},
	{name: "double", script: `printf '%s.' "§" "x § y"`, want: "§.x § y."},
	{name: "single", script: `printf '%s.' '§' 'x § "y"'`, want: `§.x § "y".`},
	{name: "ansi", script: `printf '%s.' $'a\t§\tb'`, want: "a\t§\tb."},
	{name: "ansi-quote", script: `printf '%s.' $'it\'s §'`, want: "it's §."},
	{name: "glued", script: `printf '%s.' pre-§,post §§`, want: "pre-§,post.§§."},
	{name: "mixed", script: `printf '%s.' a"b§"'c§'§`, want: "ab§c§§."},
	{name: "heredoc", script: "cat <<EOF\nx §|\nEOF", want: "x §|"},
	{name: "heredoc-quoted", script: "cat <<'EOF'\n$HOME `x` \\ §|\nEOF", want: "$HOME `x` \\ §|"},
	{name: "heredoc-escaped", script: "cat <<\\EOF\n$(x) §|\nEOF", want: "$(x) §|"},
	{name: "heredoc-tabs", script: "cat <<-EOF\n\tx §|\n\tEOF", want: "x §|"},
	{name: "heredoc-tabs-quoted", script: "cat <<-'EOF'\n\t${x} §|\n\tEOF", want: "${x} §|"},
	{name: "heredoc-twice", script: "cat - /dev/fd/3 <<A 3<<'B'\n§|\nA\n$§|\nB", want: "§|\n$§|"},
	{name: "heredoc-inside", script: "x=$(cat <<EOF\n§|\nEOF\n)\nprintf '%s' \"$x\"", want: "§|"},
	{name: "heredoc-substitution", script: "cat <<EOF\n$(printf '%s|' \"§\")\nEOF", want: "§|"},
	{name: "here-string", script: `cat <<< §; cat <<< "x §"; printf .`, want: "§\nx §\n."},
	{name: "default", script: `printf '%s.' "${unset:-§}" ${unset:-"§"}`, want: "§.§."},
	{name: "default-bare", script: `IFS=; set -f; printf '%s.' ${unset:-§}`, want: "§."},
	{name: "default-quote", script: `printf '%s.' "${unset:-'§'}"`, want: "'§'."},
	{name: "alternative", script: `x=1; printf '%s.' "${x:+a §}"`, want: "a §."},
	{name: "assigned-default", script: `: "${unset:=§}"; printf '%s.' "$unset"`, want: "§."},
	{name: "replacement", script: `x=a-b; printf '%s.' "${x//-/§}"`, want: "a§b."},
	{name: "prefix", script: `x=§; printf '%s.' "${x#§}" "${x%"§"}"`, want: "..", small: true},
	{name: "substitution", script: `x=$(printf '%s.' §); printf '%s' "$x"`, want: "§."},
	{name: "substitution-quoted", script: `printf '%s' "$(printf '%s.' "§")"`, want: "§."},
	{name: "substitution-deep", script: `printf '%s' "$(printf '%s' "$(printf '%s.' "x §" 'y §')")"`, want: "x §.y §."},
	{name: "case", script: `case § in "x") printf no ;; §) printf 'same' ;; *) printf other ;; esac`, want: "same"},
	{name: "case-quoted", script: `case "x§" in 'x§') printf 'same' ;; *) printf other ;; esac`, want: "same"},
	{name: "test", script: `[[ § == § && "§" = '§' && -n § ]] && [ § = "§" ] && test -n '§' && printf 'same'`, want: "same"},
	{name: "regex", script: `[[ § =~ § ]] && printf 'same'`, want: "same"},
	{name: "array", script: `a=(§ "x §" '§'); a+=(§); printf '%s.' "${#a[@]}" "${a[@]}"`, want: "4.§.x §.§.§."},
	{name: "map", script: `declare -A m=([k]=§); m[l]="§"; printf '%s.' "${m[k]}" "${m[l]}"`, want: "§.§."},
	{name: "assignment", script: `x=§; y="§" z=a:§; x+=§; printf '%s.' "$x" "$y" "$z"`, want: "§§.§.a:§."},
	{name: "declaration", script: `export X=§; readonly Y="§"; f() { local z='§'; printf '%s.' "$X" "$Y" "$z"; }; f`, want: "§.§.§."},
	{name: "function", script: `f() { printf '%s.' "$#" "$1" "$2"; }; f § "§"`, want: "2.§.§."},
	{name: "positional", script: `set -- § "§"; printf '%s.' "$#" "$@"`, want: "2.§.§."},
	{name: "loop", script: `for x in § "x §"; do printf '%s.' "$x"; done`, want: "§.x §."},
	{name: "redirection", script: `printf '%s.' § > "out-$WFC_STEP_KEY"; cat < "out-$WFC_STEP_KEY"`, want: "§."},
	{name: "redirection-heredoc", script: "cat > \"out-$WFC_STEP_KEY\" <<EOF\n§|\nEOF\ncat \"out-$WFC_STEP_KEY\"", want: "§|"},
	{name: "pipe", script: `printf '%s.' § | cat | cat`, want: "§."},
	{name: "process", script: `cat <(printf '%s.' §)`, want: "§."},
	{name: "read", script: `while IFS= read -r -d '' x; do printf '%s.' "$x"; done < <(printf '%s\0' §)`, want: "§."},
	{name: "subshell", script: `(printf '%s.' §); { printf '%s.' "§"; }`, want: "§.§."},
	{name: "background", script: `printf '%s.' § & wait`, want: "§."},
	{name: "comment", script: "printf 'x.' # § \"$(§)\"", want: "x."},
	{name: "strict", script: `set -euo pipefail; printf '%s.' §`, want: "§."},
	{name: "argument", script: `env printf '%s.' § "x §"`, want: "§.x §.", small: true},
	{name: "environment", script: `X=§ bash -c 'printf "%s." "$X"'`, want: "§.", small: true},
	{name: "program-argument", script: `bash -c 'printf "%s." "$1"' _ §`, want: "§.", small: true},
}

// with puts something in the place of the value.
func with(text, value string) string { return strings.ReplaceAll(text, "§", value) }
