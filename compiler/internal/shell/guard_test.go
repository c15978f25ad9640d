package shell

import (
	"strings"
	"testing"
)

// TestGuards checks the places of guards: before the command, or in place of the
// operand where bash may skip it or read it again.
func TestGuards(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{`n=$a.output; (( n > 3 ))`, `n="${a_output}";  { __wfc_int n "${n-}" && (( n > 3 )); }`},
		{`n=$a.output; echo "$((n + $n))"`, `n="${a_output}";  { __wfc_int n "${n-}" && echo "$((n + $n))"; }`},
		{`n=$a.output; if ! (( n )); then :; fi`, `n="${a_output}"; if !  { __wfc_int n "${n-}" && (( n )); }; then :; fi`},
		{`n=$a.output; (( n )) || true`, `n="${a_output}";  { __wfc_int n "${n-}" && (( n )); } || true`},
		{`n=$a.output; (( m > 0 && n ))`, `n="${a_output}";  { __wfc_int m "${m-}" && (( m > 0 && $(__wfc_num n "${n-}") )); }`},
		{`n=$a.output; [[ -n $n && $n -gt 3 ]]`, `n="${a_output}"; [[ -n $n && $(__wfc_num n "${n-}") -gt 3 ]]`},
		{`n=$a.output; [[ "$n" -gt 3 ]]`, `n="${a_output}";  { __wfc_int n "${n-}" && [[ "$n" -gt 3 ]]; }`},
		{`f() { (( $1 )); }; f $a.output`, `f() {  { __wfc_int 1 "${1-}" && (( $1 )); }; }; f "${a_output}"`},
		{`n=$a.output; echo $(( ${n%.*} + 1 ))`, `n="${a_output}";  { __wfc_int "n%." "${n%.*}" && echo $(( ${n%.*} + 1 )); }`},
		{`echo $(( $(echo $a.output) + 1 ))`, `echo $(( $(__wfc_num "the output of a command" "$(echo "${a_output}")") + 1 ))`},
		{`n=$a.output; echo $(( 10#$n ))`, `n="${a_output}";  { __wfc_int "10#n" "10#$n" && echo $(( 10#$n )); }`},
		{`i=$a.output; a=(1); echo ${a[i]}`, `i="${a_output}"; a=(1);  { __wfc_int i "${i-}" && echo ${a[i]}; }`},
		{`a=($a.output); (( a[0] ))`, `a=("${a_output}");  { __wfc_int a "${a[0]-}" && (( a[0] )); }`},
		{`n=$a.output; s=abc; echo ${s:n:1}`, `n="${a_output}"; s=abc;  { __wfc_int n "${n-}" && echo ${s:n:1}; }`},
		{`n=$a.output; for ((i = 0; i < n; i++)); do :; done`, `n="${a_output}";  { __wfc_int n "${n-}" && for ((i = 0; i < n; i++)); do :; done; }`},
		{`for ((i = 0; i < n; i++)); do n=$a.output; done`, `for ((i = 0; i < $(__wfc_num n "${n-}"); i++)); do n="${a_output}"; done`},
		{`declare -i n; n=$a.output`, `declare -i n; n="${a_output}"`}, // the hole itself is an integer
		{`x=$a.output; declare -i n=$x`, `x="${a_output}";  { __wfc_int x "${x-}" && declare -i n=$x; }`},
		{`x=$a.output; RANDOM=$x`, `x="${a_output}";  { __wfc_int x "${x-}" && RANDOM=$x; }`},
		{"n=$a.output\ncat <<E\n$((n))\nE\n", "n=\"${a_output}\"\n { __wfc_int n \"${n-}\" && cat <<E; }\n$((n))\nE\n"},
		{`n=$a.output; false; (( n == $? ))`, `n="${a_output}"; false;  { __wfc_status=$? __wfc_pipe=("${PIPESTATUS[@]}"); __wfc_int n "${n-}" && (( n == ${__wfc_status} )); }`},
		{`n=$(jq length f); (( n ))`, `n=$(jq length f);  { __wfc_int n "${n-}" && (( n )); }`}, // without any value, too
		// Names, whose subscripts bash evaluates.
		{`i=$a.output; unset 'l[i]'`, `i="${a_output}";  { __wfc_int i "${i-}" && unset 'l[i]'; }`},
		{`i=$a.output; unset "l[$i]"`, `i="${a_output}";  { __wfc_name any "l[i]" "l[${i-}]" && unset "l[$i]"; }`},
		{`i=$a.output; [[ -v l[i] ]]`, `i="${a_output}";  { __wfc_int i "${i-}" && [[ -v l[i] ]]; }`},
		{`i=$a.output; : {l[i]}> f`, `i="${a_output}";  { __wfc_int i "${i-}" && : {l[i]}> f; }`},
		{`i=$a.output; declare "l[i]=1"`, `i="${a_output}";  { __wfc_int i "${i-}" && declare "l[i]=1"; }`},
		{`i=$a.output; v='l[i]'; builtin read -r "$v"`, `i="${a_output}"; v='l[i]';  { __wfc_name any v "${v-}" && builtin read -r "$v"; }`},
		{`i=$a.output; v='l[i]'; echo "${!v}"`, `i="${a_output}"; v='l[i]';  { __wfc_name any v "${v-}" && echo "${!v}"; }`},
		{`i=$a.output; declare -n r='l[i]'`, `i="${a_output}";  { __wfc_name fixed "l[i]" "l[i]" && declare -n r='l[i]'; }`},
		{`i=$a.output; declare -n r; r=$v`, `i="${a_output}"; declare -n r;  { __wfc_name fixed v "${v-}" && r=$v; }`},
		{`declare -A m; k=$a.output; (( m[$k]++ ))`, `declare -A m; k="${a_output}";  { __wfc_name any m "m[${k-}]" && (( m[$k]++ )); }`},
	} {
		script := mustRewrite(t, c.script)
		if script.Text != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.script, script.Text, c.want)
		}
	}
}

// TestNoGuard has scripts whose operands are proven integers.
func TestNoGuard(t *testing.T) {
	for _, src := range []string{
		`i=0; while (( i < 3 )); do (( i++ )); done`,
		`for ((i = 0; i < 3; i++)); do echo $i; done`,
		`for i in 1 2 3; do (( s = i )); done`,
		`n=$(wc -l < f); (( n > 3 ))`,
		`n=$(grep -c x f); echo $((n))`,
		`start=$(date +%s); echo $(( $(date +%s) - start ))`,
		`n=${#x}; (( n > $# ))`,
		`false; rc=$?; (( rc > 1 )); exit $(( rc ))`,
		`count=0; f() { count=$((count + 1)); }; f; (( count ))`,
		`f() { local n=0; (( n++ )); }; f`,
		`a=(1 2); for i in "${!a[@]}"; do echo "${a[i]}"; done`,
		`SECONDS=0; echo $((SECONDS / 60))`,
		`x=${y//[^0-9]/}; (( x ))`,
		`read -r x y; unset -v x; printf -v x y; [[ -v x ]]; for r in A B; do echo "${!r}" "${l[0]}"; done`,
	} {
		if out := mustRewrite(t, src); out.Text != src {
			t.Errorf("%s\nbecomes %s", src, out.Text)
		}
	}
}

// TestGuardsKeepLines checks that no guard adds or removes a line.
func TestGuardsKeepLines(t *testing.T) {
	src := "n=$a.output\nif (( n > 1 )) &&\n  [[ $n -lt 9 ]]; then\n  echo $(( n\n  + 1 ))\nfi\nwhile (( n-- > 0 )); do :; done <<EOF\n$(( n ))\nEOF\n"
	out := mustRewrite(t, src)
	if got, want := strings.Count(out.Text, "\n"), strings.Count(src, "\n"); got != want {
		t.Errorf("%d lines, want %d\n%s", got, want, out.Text)
	}
}
