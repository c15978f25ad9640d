package shell

import (
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// refusals are scripts with one fault: its code, the text under the span and a
// part of the help. Everything a value could break out of has a row.
var refusals = []struct{ script, code, span, help string }{
	// Names.
	{`$a.output=5`, "WFC503", "$a.output", "result=$a.output"},
	{`x$a.output=5`, "WFC503", "$a.output", "fixed names"},
	{`$a.output+=5`, "WFC503", "$a.output", "fixed names"},
	{`echo ${$a.output}`, "WFC503", "$a.output", "without braces"},
	{`echo "${$a.output:-x}"`, "WFC503", "$a.output", "without braces"},
	{`echo ${#$a.output}`, "WFC503", "$a.output", "without braces"},
	{`echo ${!$a.output}`, "WFC503", "$a.output", "without braces"},
	{`$a.output() { echo; }`, "WFC503", "$a.output", "fixed name"},
	{`function $a.output { echo; }`, "WFC503", "$a.output", "fixed name"},
	{`for $a.output in 1 2; do echo; done`, "WFC503", "$a.output", "for item in $a.output"},
	{`coproc $a.output { echo; }`, "WFC503", "$a.output", "fixed name"},
	{`export $a.output`, "WFC503", "$a.output", "export result=$a.output"},
	{`declare "$a.output=1"`, "WFC503", "$a.output", "declare result=$a.output"},
	{`declare -a "x=($a.output)"`, "WFC503", "$a.output", "declare result=$a.output"},
	{`local -n ref=$a.output`, "WFC503", "$a.output", "associative array"},
	{`readonly $a.output`, "WFC503", "$a.output", "result=$a.output"},
	{`read -r $a.output`, "WFC503", "$a.output", "declare -A"},
	{`read -r -d '' "$a.output"`, "WFC503", "$a.output", "declare -A"},
	{`mapfile -t $a.output < f`, "WFC503", "$a.output", "declare -A"},
	{`unset "$a.output"`, "WFC503", "$a.output", "declare -A"},
	{`printf -v $a.output x`, "WFC503", "$a.output", "declare -A"},
	{`getopts ab $a.output`, "WFC503", "$a.output", "declare -A"},
	{`[ -v $a.output ]`, "WFC503", "$a.output", "declare -A"},
	{`[[ -v $a.output ]]`, "WFC503", "$a.output", "declare -A"},
	{`x=$a.output; echo "${!x}"`, "WFC503", "${!x}", "by[$x]"},
	{`x=$a.output; read -r "$x"`, "WFC503", "$x", "declare -A"},
	{`(( $a.output = 5 ))`, "WFC503", "$a.output", "n=$(( $a.output + 1 ))"},
	{`(( $a.output++ ))`, "WFC503", "$a.output", "n=$(( $a.output + 1 ))"},
	{`echo $(( x$a.output ))`, "WFC503", "$a.output", "$(( $a.output ))"},
	{`echo {$a.output}> f`, "", "", ""}, // a word in braces, no descriptor
	{`exec {$a.output}>f`, "", "", ""},
	// Commands.
	{`$a.output`, "WFC504", "$a.output", "case $a.output in"},
	{`"$a.output" --flag`, "WFC504", "$a.output", "fixed commands"},
	{`x=1 $a.output`, "WFC504", "$a.output", "fixed commands"},
	{`if $a.output; then echo; fi`, "WFC504", "$a.output", "printf"},
	{`echo "$($a.output)"`, "WFC504", "$a.output", "fixed commands"},
	{`true && ! $a.output | cat`, "WFC504", "$a.output", "fixed commands"},
	{`sudo -u root $a.output`, "WFC504", "$a.output", "fixed commands"},
	{`env X=1 $a.output`, "WFC504", "$a.output", "fixed commands"},
	{`timeout -k 1 5 $a.output`, "WFC504", "$a.output", "fixed commands"},
	{`find . -exec $a.output {} \;`, "WFC504", "$a.output", "fixed commands"},
	{`x=$a.output; $x --now`, "WFC504", "$x", `case "$x" in`},
	{`cmd=(); cmd+=($a.output); "${cmd[@]}"`, "WFC504", "$a.output", "fixed commands"},
	// Delimiters and ranges.
	{"cat <<$a.output\nx\nEND\n", "WFC507", "$a.output", "cat <<< $a.output"},
	{"cat <<-'$a.output'\nx\nEND\n", "WFC507", "$a.output", "fixed delimiter"},
	{`echo {1..$a.output}`, "WFC507", "$a.output", "for ((i = 1; i <= $a.output"},
	{`for i in {$a.output..5..2}; do echo; done`, "WFC507", "$a.output", "count in a loop"},
	{`echo @(${x}|$a.output)`, "WFC507", "$a.output", "value=$a.output"},
	// Program text.
	{`echo x >&$a.output`, "WFC510", "$a.output", "&> $a.output"},
	{`x=$a.output; echo y 1>& "f$x"`, "WFC510", "$x", "&> "},
	{`eval "echo $a.output"`, "WFC510", "$a.output", "arrays"},
	{`eval $a.output`, "WFC510", "$a.output", "deploy $a.output"},
	{`eval 'echo $a.output'`, "WFC510", "$a.output", "deploy $a.output"},
	{`bash -c "echo $a.output"`, "WFC510", "$a.output", `bash -c '… "$1" …' _ $a.output`},
	{`bash -c 'echo $a.output'`, "WFC510", "$a.output", "as an argument"},
	{`/bin/sh -c "echo $a.output"`, "WFC510", "$a.output", "as an argument"},
	{`dash -ec "echo $a.output"`, "WFC510", "$a.output", "as an argument"},
	{`zsh -lc "$a.output"`, "WFC510", "$a.output", "as an argument"},
	{`ksh -c -e "$a.output"`, "WFC510", "$a.output", "as an argument"},
	{`bash -o pipefail -c "$a.output"`, "WFC510", "$a.output", "as an argument"},
	{`bash $opts -c "$a.output"`, "WFC510", "$a.output", "as an argument"},
	{`python -c "print('$a.output')"`, "WFC510", "$a.output", "sys.argv[1]"},
	{`python3.12 -c 'print("$a.output")'`, "WFC510", "$a.output", "sys.argv[1]"},
	{`python3 -Ic "$a.output"`, "WFC510", "$a.output", "sys.argv[1]"},
	{`node -e "console.log('$a.output')"`, "WFC510", "$a.output", "process.argv[1]"},
	{`node --eval="$a.output"`, "WFC510", "$a.output", "process.argv[1]"},
	{`bun -e "$a.output"`, "WFC510", "$a.output", "process.argv[1]"},
	{`deno eval "$a.output"`, "WFC510", "$a.output", "process.argv[1]"},
	{`perl -ne "print if /$a.output/"`, "WFC510", "$a.output", "shift"},
	{`perl -e"$a.output"`, "WFC510", "$a.output", "shift"},
	{`ruby -e "puts '$a.output'"`, "WFC510", "$a.output", "ARGV[0]"},
	{`php -r "echo '$a.output';"`, "WFC510", "$a.output", "$argv[1]"},
	{`osascript -e "display dialog \"$a.output\""`, "WFC510", "$a.output", "on run argv"},
	{`awk "/$a.output/ {print}" f`, "WFC510", "$a.output", "ENVIRON"},
	{`awk -F, -v x=1 '$1 == "$a.output"' f`, "WFC510", "$a.output", "ENVIRON"},
	{`sed "s/x/$a.output/" f`, "WFC510", "$a.output", "${text//old/$a.output}"},
	{`sed -i -e 's/x/$a.output/' f`, "WFC510", "$a.output", "${text//old/$a.output}"},
	{`sed -ne "/$a.output/p" f`, "WFC510", "$a.output", "ENVIRON"},
	{`jq ".x = \"$a.output\"" f`, "WFC510", "$a.output", "jq --arg value $a.output"},
	{`jq -r --arg x 1 '.["$a.output"]' f`, "WFC510", "$a.output", "--arg"},
	{`sqlite3 db.sqlite "select '$a.output'"`, "WFC510", "$a.output", "readfile"},
	{`psql -d x -c "select '$a.output'"`, "WFC510", "$a.output", "psql -v value=$a.output"},
	{`psql --command="select $a.output"`, "WFC510", "$a.output", "psql -v"},
	{`mysql -u root -e "select '$a.output'"`, "WFC510", "$a.output", "binds parameters"},
	{`trap "rm -rf $a.output" EXIT`, "WFC510", "$a.output", "value=$a.output; trap"},
	{`alias x="echo $a.output"`, "WFC510", "$a.output", "function"},
	{`PS4=$a.output; set -x`, "WFC510", "$a.output", "arguments"},
	{`BASH_ENV=$a.output bash x.sh`, "WFC510", "$a.output", "arguments"},
	{`find . -exec sh -c "echo $a.output {}" \;`, "WFC510", "$a.output", "as an argument"},
	{`ls | xargs -n1 sh -c "echo $a.output"`, "WFC510", "$a.output", "as an argument"},
	{`env -i X=1 bash -c "$a.output"`, "WFC510", "$a.output", "as an argument"},
	{`sudo -u root bash -c "$a.output"`, "WFC510", "$a.output", "as an argument"},
	{`doas sh -c "$a.output"`, "WFC510", "$a.output", "as an argument"},
	{`timeout 5 bash -c "$a.output"`, "WFC510", "$a.output", "as an argument"},
	{`nice -n 5 nohup setsid bash -c "$a.output"`, "WFC510", "$a.output", "as an argument"},
	{`time bash -c "$a.output"`, "WFC510", "$a.output", "as an argument"},
	{`command eval "$a.output"`, "WFC510", "$a.output", "deploy"},
	{`builtin eval "$a.output"`, "WFC510", "$a.output", "deploy"},
	{`exec -a x bash -c "$a.output"`, "WFC510", "$a.output", "as an argument"},
	{`env -S "$a.output"`, "WFC510", "$a.output", "separate words"},
	{`ssh -p 22 me@host "deploy $a.output"`, "WFC510", "$a.output", "printf '%q'"},
	{`ssh host deploy $a.output`, "WFC510", "$a.output", "printf '%q'"},
	{`docker exec -it box sh -c "$a.output"`, "WFC510", "$a.output", "as an argument"},
	{`docker run --rm -v /x:/y image bash -c "$a.output"`, "WFC510", "$a.output", "as an argument"},
	{`kubectl exec pod -- bash -c "$a.output"`, "WFC510", "$a.output", "as an argument"},
	{`parallel "echo $a.output {}" ::: 1 2`, "WFC510", "$a.output", ":::"},
	{`watch "echo $a.output"`, "WFC510", "$a.output", "loop in bash"},
	{`su -c "echo $a.output" me`, "WFC510", "$a.output", "as an argument"},
	{`git -C repo bisect run sh -c $a.output`, "WFC510", "$a.output", "as an argument"},
	{`git submodule foreach --recursive bash -c "$a.output"`, "WFC510", "$a.output", "as an argument"},
	{`flock /tmp/lock bash -c "$a.output"`, "WFC510", "$a.output", "as an argument"},
	{`mytool --run bash -c "$a.output"`, "WFC510", "$a.output", "as an argument"},
	{`uv run python -c "$a.output"`, "WFC510", "$a.output", "sys.argv"},
	// Program text through variables.
	{`x=$a.output; eval "$x"`, "WFC510", "$x", `deploy "$x"`},
	{`x=$a.output; y="run $x"; bash -c "$y"`, "WFC510", "$y", "as an argument"},
	{`x=$(echo $a.output | tr a b); eval "$x"`, "WFC510", "$x", "deploy"},
	{`read -r x <<< $a.output; eval "$x"`, "WFC510", "$x", "deploy"},
	{"while read -r l; do eval \"$l\"; done <<< $a.output", "WFC510", "$l", "deploy"},
	{"echo $a.output | while read -r l; do eval \"$l\"; done", "WFC510", "$l", "deploy"},
	{`for x in a $a.output; do eval "$x"; done`, "WFC510", "$x", "deploy"},
	{`f() { eval "$1"; }; f $a.output`, "WFC510", "$1", "deploy"},
	{`set -- $a.output; eval "$@"`, "WFC510", "$@", "deploy"},
	{`printf -v x '%s' $a.output; eval "$x"`, "WFC510", "$x", "deploy"},
	{`mapfile -t x <<< $a.output; eval "${x[0]}"`, "WFC510", "${x[0]}", "deploy"},
	{`x=ok; if true; then x=$a.output; fi; eval "$x"`, "WFC510", "$x", "deploy"},
	{`x=$a.output; if true; then x=ok; fi; eval "$x"`, "WFC510", "$x", "deploy"},
	{`x=$a.output; (x=ok); eval "$x"`, "WFC510", "$x", "deploy"},
	{`while true; do eval "$x"; x=$a.output; done`, "WFC510", "$x", "deploy"},
	{`while :; do y=$x; x=$z$a.output; z=$y; done; eval "$z"`, "WFC510", "$z", "deploy"},
	{`eval "$(echo $a.output)"`, "WFC510", "$a.output", "deploy"},
	// Program input.
	{`echo "$a.output" | bash`, "WFC510", "$a.output", "as an argument"},
	{`echo $a.output | sort | sudo sh -s -- x`, "WFC510", "$a.output", "as an argument"},
	{"cat <<EOF | bash\n$a.output\nEOF\n", "WFC510", "$a.output", "as an argument"},
	{"bash <<EOF\necho $a.output\nEOF\n", "WFC510", "$a.output", "as an argument"},
	{"bash -s <<'EOF'\necho $a.output\nEOF\n", "WFC510", "$a.output", "as an argument"},
	{`bash <<< "$a.output"`, "WFC510", "$a.output", "as an argument"},
	{`python3 - <<< $a.output`, "WFC510", "$a.output", "sys.argv"},
	{"python3 <<'EOF'\nprint('$a.output')\nEOF\n", "WFC510", "$a.output", "sys.argv"},
	{"sqlite3 db <<EOF\nselect '$a.output';\nEOF\n", "WFC510", "$a.output", "readfile"},
	{"psql mydb <<EOF\nselect '$a.output';\nEOF\n", "WFC510", "$a.output", "psql -v"},
	{"ssh host <<EOF\n$a.output\nEOF\n", "WFC510", "$a.output", "printf '%q'"},
	{"ssh host bash <<EOF\n$a.output\nEOF\n", "WFC510", "$a.output", "as an argument"},
	{"docker exec -i box bash <<EOF\n$a.output\nEOF\n", "WFC510", "$a.output", "as an argument"},
	{`bash <(echo $a.output)`, "WFC510", "$a.output", "as an argument"},
	{`source <(echo "x=$a.output")`, "WFC510", "$a.output", "as an argument"},
	{`bash < <(echo $a.output)`, "WFC510", "$a.output", "as an argument"},
	{`x=$a.output; echo "$x" | bash`, "WFC510", "$x", "as an argument"},
	{`echo $a.output | xargs -I{} sh -c 'echo {}'`, "WFC510", "$a.output", "as an argument"},
	// Program files.
	{`source $a.output`, "WFC510", "$a.output", "case $a.output in"},
	{`. "$a.output"`, "WFC510", "$a.output", "fixed files"},
	{`bash $a.output`, "WFC510", "$a.output", "fixed files"},
	{`python3 -u $a.output x`, "WFC510", "$a.output", "fixed files"},
	{`x=$a.output; node "$x"`, "WFC510", "$x", "fixed files"},
	// Arithmetic.
	{`echo $(( $a.output.urgent + 1 ))`, "WFC520", "$a.output.urgent", "[[ $a.output.urgent =="},
	{`x=$a.output.urgent; (( x > 1 ))`, "WFC520", "$a.output.urgent", "compare it as a string"},
	{`read -r RANDOM <<< "$ARGUMENTS"`, "WFC521", "$ARGUMENTS", "RANDOM=$value"},
	{`declare -i n; read -r n <<< "$ARGUMENTS"`, "WFC521", "$ARGUMENTS", "n=$value"},
	{`declare -i n; printf -v n %s $a.output`, "WFC521", "$a.output", "n=$value"},
	// Outsiders' variables in programs.
	{`eval "$ARGUMENTS"`, "WFC510", "$ARGUMENTS", `deploy "$ARGUMENTS"`},
	{`bash -c "echo $USER_MESSAGE"`, "WFC510", "$USER_MESSAGE", "as an argument"},
	{`echo "$CONTEXT" | sh`, "WFC510", "$CONTEXT", "as an argument"},
	{`x=${ARGUMENTS%% *}; eval "$x"`, "WFC510", "$x", "deploy"},
	{`"$ARGUMENTS"`, "WFC504", "$ARGUMENTS", "fixed commands"},
	// Splitting.
	{`echo $ARGUMENTS`, "WFC530", "$ARGUMENTS", `"$ARGUMENTS"`},
	{`gh issue view ${ISSUE_CONTEXT} --json x`, "WFC530", "${ISSUE_CONTEXT}", `"${ISSUE_CONTEXT}"`},
	{`for x in $LOOP_USER_INPUT; do echo "$x"; done`, "WFC530", "$LOOP_USER_INPUT", "read -ra words"},
	{`x=($REJECTION_REASON)`, "WFC530", "$REJECTION_REASON", `"$REJECTION_REASON"`},
	{`echo x > $EXTERNAL_CONTEXT`, "WFC530", "$EXTERNAL_CONTEXT", `"$EXTERNAL_CONTEXT"`},
	// Not bash.
	{"if true; then\n  echo $a.output\n", "WFC500", "i", ""},
	{"echo a\ncat <<EOF\n$a.output\n", "WFC500", "<<", ""},
	{"eval $a.output\ncat <<-'EOF'\nx\n", "WFC500", "<<", ""},
	{"echo 'x $a.output", "WFC500", "'", ""},
	{`[[ a $a.output b ]]`, "WFC500", "$", ""},
	{"echo \x00 $a.output", "WFC500", "\x00", ""},
	{`history -s "$a.output"`, "WFC510", "$a.output", "an argument of a fixed program"},
	// Escapes.
	{`echo \$a.output`, "WFC950", `\$a.output`, ""},
	{`echo "\$a.output"`, "WFC950", `\$a.output`, ""},
	{"cat <<EOF\n\\\\\\$a.output\nEOF\n", "WFC950", `\$a.output`, ""},
}

func TestRefusals(t *testing.T) {
	for _, r := range refusals {
		if r.code == "" {
			continue
		}
		out, found := rewriteText(r.script)
		found = withoutQuoteNotes(found)
		if len(found) != 1 {
			t.Errorf("%s: %d diagnostics, want 1: %v", r.script, len(found), messages(found))
			continue
		}
		d := found[0]
		if d.Code.ID != r.code || d.Span.Text() != r.span {
			t.Errorf("%s: %s at %q, want %s at %q\n%s", r.script, d.Code.ID, d.Span.Text(), r.code, r.span, d.Message)
		}
		if r.help != "" && !strings.Contains(strings.Join(d.Help, "\n"), r.help) {
			t.Errorf("%s: help %q lacks %q", r.script, d.Help, r.help)
		}
		if slices.Contains(d.Help, "") {
			t.Errorf("%s: an empty help", r.script)
		}
		if (out == nil) != (d.Severity == diag.Error) {
			t.Errorf("%s: script is %v with a diagnostic of severity %s", r.script, out, d.Severity)
		}
	}
}

// allowed are scripts near a refusal that are right.
var allowed = []string{
	`bash -c 'echo "$1"' _ $a.output`,
	`bash script.sh $a.output`,
	`bash -s -- $a.output < script.sh`,
	`python3 -c 'import sys; print(sys.argv[1])' $a.output`,
	`python3 script.py --text $a.output`,
	`python3 -m json.tool <<< $a.output`,
	`echo $a.output | python3 -c 'import sys; print(sys.stdin.read())'`,
	`echo $a.output | python3 script.py`,
	`node script.js $a.output`,
	`jq --arg v $a.output '.x = $v' f.json`,
	`jq -r '.x' <<< $a.output`,
	`echo $a.output | jq -r .x | sed 's/a/b/' | awk '{print $1}'`,
	`awk -v x=$a.output '{ print x }' f`,
	`sed -n 5p <<< $a.output`,
	`grep -e $a.output f`,
	`psql -v v=$a.output -f query.sql`,
	`psql -v v=$a.output <<< "select :'v'"`,
	`sudo -u me echo $a.output`,
	`env X=$a.output deploy`,
	`ssh host "deploy $(printf '%q' $a.output)"`,
	`ssh host 'cat > value.txt' <<< $a.output`,
	`x=$a.output; bash -c "deploy ${x@Q}"`,
	`eval "$(ssh-agent)"; echo $a.output`,
	`x=$a.output; trap 'echo "$x"' EXIT`,
	`x=$(wc -l <<< $a.output); (( x > 3 ))`,
	`x=${ARGUMENTS//[^0-9]/}; (( x > 3 ))`,
	`echo "${#ARGUMENTS}" $(( ${#ARGUMENTS} ))`,
	`[[ $ARGUMENTS =~ ^-?[0-9]+$ ]] || exit 1; (( ARGUMENTS > 3 ))`,
	`(( $ARGUMENTS > 3 ))`, `n="$ARGUMENTS"; echo $((n + 1))`, `echo "${x:ARGUMENTS}"`, `a[$ARGUMENTS]=1`,
	`case "$ARGUMENTS" in ''|*[!0-9]*) exit 1 ;; esac; (( ARGUMENTS > 3 ))`,
	`[ "$ARGUMENTS" -gt 3 ]`,
	`x=$ARGUMENTS; case $ARGUMENTS in a) ;; esac; [[ $ARGUMENTS == x ]]; cat <<< $ARGUMENTS`,
	`CONTEXT=5; echo $CONTEXT`,
	`export X=$ARGUMENTS`,
	`find . -name $a.output -exec rm {} +`,
	`docker run image tool $a.output`,
	`git commit -m $a.output`,
	`source ./lib/$a.output.count.sh`,
	`./run-$a.output`,
	`echo bash -c $a.output`,
	`printf '%s\n' "bash -c" $a.output`,
	`git log --grep bash -c $a.output`,
	`echo ${x:-{}$a.output}`,
	`echo {$a.output} {a,$a.output}`,
	`parallel echo ::: $a.output`,
	`read -r -p $a.output x < f`,
	`declare -A m=([$a.output]=1); echo "${m[$a.output]}"`,
	`echo "$a.output" | tee bash`,
}

func TestAllowed(t *testing.T) {
	for _, src := range allowed {
		out, found := rewriteText(src)
		if found = withoutQuoteNotes(found); len(found) > 0 || out == nil {
			t.Errorf("%s: %v", src, messages(found))
		}
	}
}

func withoutQuoteNotes(found []*diag.Diagnostic) []*diag.Diagnostic {
	var rest []*diag.Diagnostic
	for _, d := range found {
		if d.Code.ID != "WFC951" {
			rest = append(rest, d)
		}
	}
	return rest
}

func messages(found []*diag.Diagnostic) []string {
	var list []string
	for _, d := range found {
		list = append(list, d.Code.ID+" at "+d.Span.Text()+": "+d.Message)
	}
	return list
}
