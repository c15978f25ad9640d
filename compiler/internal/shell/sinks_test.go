package shell

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// sinkCases are scripts of each class in which a value may become code: the code
// of the error, or none for the same class done right.
var sinkCases = map[string][]struct{ script, code string }{
	"outputs": {
		{`x=$(jq -r .x <<< $a.output); eval "$x"`, "WFC510"},
		{`x=$(mytool $a.output); $x`, "WFC504"},
		{`x=$(jq -r .x <<< $a.output); echo "$x" > f; mytool "$x"`, ""},
		{`f() { jq -r .x <<< $a.output; }; eval "$(f)"`, "WFC510"},
		{`n=$(wc -l <<< $a.output); sed -n "${n}p" f`, ""},
		{`while read -r l; do echo "$l"; awk "NR == $(date +%s)" f; done <<< $a.output`, ""},
		{`eval "$(ssh-agent -s)"; echo $a.output`, ""},
		{`echo $a.output; source "$(git rev-parse --show-toplevel)/lib.sh"`, ""},
	},
	"commands": {
		{`retry() { "$@"; }; retry deploy $a.output`, ""},
		{`retry() { "$@"; }; retry $a.output`, "WFC504"},
		{`retry() { shift; "$@"; }; retry 3 deploy $a.output`, ""},
		{`retry() { shift; "$@"; }; retry 3 bash -c $a.output`, "WFC510"},
		{`retry() { while [ "$1" -gt 0 ]; do shift; done; "$@"; }; retry 3 deploy $a.output`, ""},
		{`f() { eval "$1"; }; run() { "$@"; }; run f $a.output`, "WFC510"},
		{`f() { eval "$1"; }; run() { "${@:2}"; }; run x f $a.output`, "WFC510"},
		{`f() { eval "$2"; }; run() { "$1" "$2" "$3"; }; run f x $a.output`, "WFC510"},
		{`f() { eval "$1"; }; for c in f; do $c $a.output; done`, "WFC510"},
		{`f() { eval "$1"; }; c=f; $c $a.output`, "WFC510"},
		{`set -a; f() { eval "$1"; }; bash -c 'f "$1"' _ $a.output`, "WFC510"},
		{`cmd=(deploy $a.output); "${cmd[@]}"`, ""}, {`cmd=(deploy); cmd+=($a.output); "${cmd[@]}"`, ""},
		{`cmd=(bash -c $a.output); "${cmd[@]}"`, "WFC510"},
		{`read -ra cmd <<< $a.output; "${cmd[@]}"`, "WFC504"},
		{`PY=python3; "$PY" x.py $a.output`, ""},
		{`PY=python3; "$PY" -c $a.output`, "WFC510"},
		{`"$TOOL" --name $a.output`, ""},
		{`timeout 60 python3 x.py "$ARGUMENTS"`, ""}, {`npx vitest run "$ARGUMENTS"`, ""}, {`npx "$ARGUMENTS"`, "WFC504"},
		{`t=$a.output; timeout $t deploy`, "WFC510"}, {`t=$a.output; timeout "$t" deploy`, ""}, {`t=$a.output; find . $t`, "WFC510"}, {`t=$a.output; python3 $t x.py`, "WFC510"},
	},
	"names": {
		{`f() { local "$1"; }; f $a.output`, "WFC503"},
		{`f() { echo "${!1}"; }; f $a.output`, "WFC503"},
		{`f() { local -n r=$1; echo "$r"; }; f $a.output`, "WFC503"},
		{`f() { local -n r=$1; echo "$r"; }; f name; echo $a.output`, ""},
		{`x=$a.output; echo "${x@P}"`, "WFC510"},
		{`x=$a.output; printf "$x"`, ""},
		{`declare -a l="$a.output"`, "WFC510"},
		{`declare -a l=("$a.output")`, ""},
		{`declare -A m; k=$a.output; (( m[$k]++ ))`, ""},
		{`declare -A m; k=$a.output; m[$k]=$(( ${m[$k]:-0} + 1 ))`, ""},
		{`x=$a.output; unset "l[$x]"`, ""}, {`unset "l[$a.output]"`, "WFC503"},
		{`for r in $a.output; do declare -n q; q=$r; done`, "WFC503"},
	},
	"variables that bash runs": {
		{`read -r PS4 <<< $a.output`, "WFC510"}, {`printf -v PS4 %s $a.output`, "WFC510"}, {`declare "PS4=$a.output"`, "WFC510"},
		{`n=PS4; read -r "$n" <<< $a.output`, "WFC510"},
		{`x=$a.output; PS4='+ $x '; set -x`, ""},
		{`export PATH="$a.output:$PATH"`, ""},
		{`GIT_SSH_COMMAND=$a.output git fetch`, ""},
	},
	"references": {
		{`f() { local -n r=$1; r=$2; }; f OUT $a.output; eval "$OUT"`, "WFC510"},
		{`f() { printf -v "$1" %s "$2"; }; f OUT $a.output; eval "$OUT"`, "WFC510"},
		{`f() { read -r "$1" <<< "$2"; }; f OUT $a.output; eval "$OUT"`, "WFC510"},
		{`x=$a.output; c='eval "$x"'; eval "$c"`, "WFC510"}, {`f() { eval "$1=\$2"; }; f OUT $a.output; eval "$OUT"`, "WFC510"},
	},
	"numbers": {
		{`n=$(grep -oE '[0-9]+' <<< $a.output | sort -n | tail -1); sed "s/COUNT/$n/" f`, ""}, {`n=$(tr -cd 0-9 <<< $a.output); jq ".n = $n" f`, ""},
		{`d=$(grep -oP '\d{4}-\d{2}-\d{2}' <<< $a.output); awk "/$d/" f`, ""}, {`n=$(grep -o '[0-9]*' <<< $a.output); sed "s/x/$n/" f`, ""},
		{`n=$(grep -oE '[0-9]+|.*' <<< $a.output); sed "s/x/$n/" f`, "WFC510"}, {`n=$(grep -oE '[0-9;]+' <<< $a.output); sed "s/x/$n/" f`, "WFC510"},
		{`n=$(grep -E '[0-9]+' <<< $a.output); sed "s/x/$n/" f`, "WFC510"}, {`n=$(grep -oE '[0-9]+.' <<< $a.output); sed "s/x/$n/" f`, "WFC510"},
		{`n=$(grep -oE '[0-9]+' <<< $a.output | tr 0-9 a-j); sed "s/x/$n/" f`, "WFC510"}, {`n=$(grep -oE "$p" <<< $a.output); sed "s/x/$n/" f`, "WFC510"},
	},
	"values of a type without code": { // an int, a bool
		{`n=$a.output.count; ssh host "ls | sed -n '${n}p'"`, ""}, {`sed -n "$a.output.count p" f`, ""}, {`eval "deploy --now=$a.output.urgent"`, ""},
		{`n=$a.output.count; m=$n; awk "NR == ${m#-}" f`, ""}, {`bash -c 'sed -n "$1p" f; head -n "$a.output.count" f'`, ""}, {`bash <<< "sleep $a.output.count"`, ""},
		{`n=$a.output.count; n=$b.output; sed -n "${n}p" f`, "WFC510"}, {`n=$b.output; n=$a.output.count; sed -n "${n}p" f`, "WFC510"},
		{`n=$a.output.count; n+=$b.output; sed -n "${n}p" f`, "WFC510"}, {`sed -n "$a.output.count p$b.output" f`, "WFC510"},
		{`x=$(gh issue view $a.output.count); eval "$x"`, "WFC510"}, {`gh issue view $a.output.count | bash`, "WFC510"},
		{`$a.output.urgent`, "WFC504"}, {`x=$a.output.count; read -r "$x"`, "WFC503"}, {`x=$a.output.count; timeout $x deploy`, ""},
	},
	"input": {
		{`exec 3<<< $a.output; bash <&3`, "WFC510"},
		{`f() { bash; }; echo $a.output | f`, "WFC510"}, {`coproc bash; echo $a.output >&"${COPROC[1]}"`, "WFC510"},
		{`tee >(bash) <<< $a.output`, "WFC510"}, {`bash /dev/fd/3 3<<< $a.output`, "WFC510"},
		{`tee >(gzip > f) <<< $a.output`, ""},
		{`echo $a.output | xargs sh -c`, "WFC510"}, {`echo $a.output | xargs -I% sh -c 'echo %'`, "WFC510"},
		{`echo $a.output | xargs -0 printf '%s'`, ""},
		{`echo $a.output | python3 -c 'import sys, json; print(json.load(sys.stdin))'`, ""},
		{`f() { eval "$2"; }; mapfile -C f -c 1 l <<< $a.output`, "WFC510"},
	},
	"files": { // a sandbox contains all but the first
		{`echo $a.output > run.sh; bash run.sh`, "WFC510"}, {`echo $a.output > run.sh; ./run.sh`, "WFC510"}, {`f=$(mktemp); echo $a.output > "$f"; . "$f"`, "WFC510"},
		{`echo $a.output > data.txt; bash run.sh data.txt`, ""}, {`echo "$ARTIFACTS_DIR" > run.sh; bash run.sh`, ""},
		{`printf 'all: %s\n' $a.output > Makefile; make`, ""},
		{`echo $a.output > f; x=$(<f); bash -c "$x"`, ""},
	},
	"inner programs": {
		{`bash -c '(( $1 ))' _ $a.output`, "WFC521"},
		{`bash -c 'eval "$1"' _ $a.output`, "WFC510"}, {`su -c 'eval "$1"' -- root _ $a.output`, "WFC510"},
		{`bash -c '"$@"' _ $a.output`, "WFC504"},
		{`bash -c '"$@"' _ deploy $a.output`, ""},
		{`bash -c 'deploy "$1"; n=0; (( n++ ))' _ $a.output`, ""},
		{`export X=$a.output; bash -c '$X'`, "WFC504"}, {`env X=$a.output bash -c '$X'`, "WFC504"},
		{`x=$a.output; trap 'eval "$x"' EXIT`, "WFC510"},
		{`x=$a.output; trap 'rm -f "$x"' EXIT`, ""},
		{`x=$(printf %q $a.output); eval "deploy $x"`, ""},
		{`x=$(printf %q $a.output); eval "deploy '$x'"`, "WFC510"},
		{`x=$(printf %q $a.output); eval "$x"`, "WFC504"}, {`x=$a.output; eval "y=${x@Q}"; eval "$y"`, "WFC510"},
		{"bash -s $a.output <<'E'\neval \"$1\"\nE\n", "WFC510"},
		{`echo $a.output | bash -c 'read n; echo $((n))'`, "WFC521"},
		{`echo $a.output | bash -c 'while read -r l; do $l; done'`, "WFC504"},
		{`echo $a.output | sh -c 'sh'`, "WFC510"}, {`echo $a.output | sh -c '. /dev/stdin'`, "WFC510"}, {`echo $a.output | sh -c 'xargs sh -c'`, "WFC510"},
		{`echo $a.output | bash -c 'while read -r l; do echo "- $l"; done'`, ""}, {`echo $a.output | sh -c 'bash -c "read n; echo \$((n))"'`, "WFC521"},
		{`echo 5 | bash -c 'read n; echo $((n))'; echo $a.output`, ""}, {`bash -c 'read n; sh' <<< 'echo hi'; echo $a.output`, ""},
		{`find . -exec sh -c 'deploy "$1"' _ {} \; ; echo $a.output`, ""}, {`bash -c 'i=$1; unset "l[i]"' _ $a.output`, "WFC521"},
	},
	"options": {
		{`git push origin $a.output`, ""}, {`tar xf x.tar $a.output`, ""}, {`make $a.output`, "WFC510"}, {`make --eval=$a.output`, "WFC510"}, {`make -f - <<< $a.output`, "WFC510"}, {`sort $a.output`, ""},
		{`sed s/x/y/ $a.output`, "WFC510"}, {`sed s/x/y/ -- $a.output`, ""}, {`sed s/x/y/ "./$a.output"`, ""},
		{`perl -e 'print shift' $a.output`, "WFC510"}, {`perl -e 'print shift' -- $a.output`, ""},
		{`node -e 'x()' $a.output`, "WFC510"}, {`node main.js $a.output`, ""}, {`bun run test $a.output`, ""}, {`bun --filter "$a.output" test`, ""}, {`bun --filter x $a.output`, "WFC510"},
		{`bun --preload $a.output x.ts`, "WFC510"}, {`python3 -m timeit $a.output`, "WFC510"}, {`python3 -m pytest -k $a.output`, ""},
		{`perl --eval=$a.output`, ""}, {`sed --expr=$a.output f`, "WFC510"}, {`env --split="$a.output"`, "WFC510"},
	},
	"options that run or load": {
		{`make X=$a.output all`, "WFC510"}, {`make -- "./$a.output"`, "WFC510"}, {`make -E $a.output`, "WFC510"}, {`make -j $a.output`, "WFC510"}, {`make "--"$a.output`, "WFC510"},
		{`make -C "$a.output" all`, ""}, {`make X=$a.output.count all`, ""}, {`make -j"$(nproc)" all; echo $a.output`, ""}, {`make -f - < "x.mk"; echo $a.output`, ""},
		{`git rebase --exec "$a.output" HEAD~1`, "WFC510"}, {`git -C d rebase -x "$a.output" HEAD~1`, "WFC510"}, {`git rebase --ex="$a.output"`, "WFC510"}, {`x=$a.output git rebase --exec 'deploy "$x"' HEAD~1`, ""}, {`git rebase $a.output`, ""},
		{`git filter-branch --tree-filter $a.output`, "WFC510"}, {`git difftool -x $a.output`, "WFC510"}, {`git grep -O"$a.output" x`, "WFC510"}, {`git grep -O $a.output`, ""}, {`git grep -n $a.output`, ""},
		{`git push --receive-pack="$a.output" d`, "WFC510"}, {`git push origin $a.output`, ""},
		{`perl -M"$a.output" -e 1`, "WFC510"}, {`perl -Mstrict "$a.output"`, "WFC510"}, {`perl -Mstrict -e 1 -- $a.output`, ""}, {`perl -MJSON x.pl $a.output`, ""}, {`perl -w "$a.output/x.pl"`, "WFC510"}, {`perl -w "lib/$a.output"`, ""},
		{`node --require="$a.output" x.js`, "WFC510"}, {`node --require x "$a.output"`, "WFC510"}, {`node --import "./$a.output" x.js`, ""}, {`node --require=./x.js y.js $a.output`, ""}, {`node --test x.js; echo $a.output`, ""},
		{`python3 -m $a.output`, "WFC510"}, {`python3 -m "tests.$a.output"`, ""}, {`python3 -um "$a.output"`, "WFC510"}, {`python3 -c "$a.output" -m x`, "WFC510"}, {`python3 -m pytest -m $a.output`, ""}, {`python3 -c 'x()' -m $a.output`, ""},
		{`php -d $a.output x.php`, "WFC510"}, {`php -r 'x();' $a.output`, "WFC510"}, {`php x.php $a.output`, ""}, {`lua -l $a.output x.lua`, "WFC510"}, {`lua -e 'x()' $a.output`, "WFC510"}, {`lua -l json x.lua $a.output`, ""},
		{`bash --rcfile $a.output -i`, "WFC510"}, {`bash --rcfile rc $a.output`, "WFC510"}, {`bash "$a.output" -c 'x'`, "WFC510"}, {`bash "-$a.output" x`, "WFC510"}, {`bash -o "$a.output" x.sh`, ""},
		{`sqlite3 -init $a.output db 'select 1'`, "WFC510"}, {`sqlite3 --cmd $a.output db 'select 1'`, "WFC510"}, {`sqlite3 -init x.sql $a.output 'select 1'`, ""}, {`sqlite3 -csv $a.output 'select 1'`, ""},
		{`psql -v x="$a.output" <<< 'select :x'`, "WFC510"}, {`psql --set=x="$a.output" -c 'select :x'`, "WFC510"}, {`psql -v x="$a.output" <<< "select :'x', y::x"`, ""}, {`psql -f q.sql $a.output`, "WFC510"}, {`psql --file=$a.output`, "WFC510"}, {`psql -f q.sql -- $a.output`, ""}, {`psql -f q.sql -U $a.output`, ""},
		{`sed -f x.sed $a.output`, "WFC510"}, {`sed -nf $a.output f`, "WFC510"}, {`sed --file=$a.output f`, "WFC510"}, {`sed s/x/y/ "-$a.output"`, "WFC510"}, {`awk -f x.awk $a.output`, "WFC510"}, {`awk '{ print }' $a.output`, ""}, {`awk -vi="$a.output" '{ print i }' f`, ""},
		{`gdb -nx -batch -ex run --args p $a.output`, ""}, {`gdb -batch -ex run p $a.output`, "WFC510"}, {`gdb -batch -ex "$a.output" p`, "WFC510"}, {`gdb -ix "$a.output" p`, "WFC510"}, {`gdb -p $a.output`, ""}, {`vim -es x $a.output`, "WFC510"}, {`vim -es -- $a.output`, "WFC510"},
		{`m4 -DX="$a.output" x.m4`, "WFC510"}, {`ed -s $a.output`, "WFC510"}, {`ed -s "./$a.output"`, ""}, {`su "$a.output"`, "WFC510"}, {`su -- "$a.output"`, ""}, {`flock $a.output deploy`, ""},
		{`echo $a.output > x.js; node < x.js`, "WFC510"}, {`node < $a.output`, "WFC510"}, {`echo $a.output > x.txt; node x.js < x.txt`, ""},
		{`parallel ::: $a.output`, "WFC510"}, {`parallel bash -c {} ::: $a.output`, "WFC510"}, {`parallel eval ::: $a.output`, "WFC510"}, {`parallel deploy ::: $a.output`, ""}, {`parallel -j4 deploy {} x ::: $a.output`, ""}, {`echo $a.output | parallel deploy`, ""}, {`echo $a.output | parallel`, "WFC510"},
		{`jq . $a.output`, ""}, {`yq .x $a.output`, ""}, {`yq --expression $a.output f`, "WFC510"},
	},
	"what cannot be read": {
		{`declare -A m=([a b]=1); eval "$ARGUMENTS"`, "WFC501"},
		{"cat <<E\nx\n", "WFC500"},
	},
}

func TestSinks(t *testing.T) {
	bashPath(t)
	for class, cases := range sinkCases {
		for _, c := range cases {
			_, found := rewriteText(c.script)
			var got []string
			for _, d := range withoutQuoteNotes(found) {
				if d.Severity != diag.Note {
					got = append(got, d.Code.ID)
				}
			}
			if strings.Join(got, " ") != c.code {
				t.Errorf("%s: %s: %v, want %s", class, c.script, messages(found), c.code)
			}
		}
	}
}
