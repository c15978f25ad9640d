package shell

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// sinkCases are scripts of each class in which a value may become code: the code
// of the error, or none for the same class done right.
var sinkCases = map[string][]struct{ script, code string }{
	"what is lost sight of": {
		{`x=$(jq -r .x <<< $a.output); eval "$x"`, "WFC510"},
		{`echo $a.output > f; x=$(<f); bash -c "$x"`, "WFC510"},
		{`echo $a.output > f; read -r x < f; eval "$x"`, "WFC510"},
		{`x=$(mytool $a.output); $x`, "WFC504"},
		{`x=$(jq -r .x <<< $a.output); echo "$x" > f; mytool "$x"`, ""},
		{`F=$(cat "$a.output"); printf x | sed s/x/y/; awk -v f="$F" '{print f}' g`, ""},
		{`eval "$(ssh-agent -s)"; echo $a.output`, ""},
		{`echo $a.output; source "$(git rev-parse --show-toplevel)/lib.sh"`, ""},
	},
	"commands": {
		{`retry() { "$@"; }; retry deploy $a.output`, ""},
		{`retry() { "$@"; }; retry $a.output`, "WFC504"},
		{`retry() { shift; "$@"; }; retry 3 deploy $a.output`, ""},
		{`retry() { shift; "$@"; }; retry 3 bash -c $a.output`, "WFC510"},
		{`cmd=(deploy $a.output); "${cmd[@]}"`, ""},
		{`cmd=(bash -c $a.output); "${cmd[@]}"`, "WFC510"},
		{`PY=python3; "$PY" x.py $a.output`, ""},
		{`PY=python3; "$PY" -c $a.output`, "WFC510"},
		{`"$TOOL" --name $a.output`, ""},
		{`"$TOOL" -c $a.output`, "WFC510"},
	},
	"names": {
		{`f() { local "$1"; }; f $a.output`, "WFC503"},
		{`f() { echo "${!1}"; }; f $a.output`, "WFC503"},
		{`f() { local -n r=$1; echo "$r"; }; f $a.output`, "WFC503"},
		{`f() { local -n r=$1; echo "$r"; }; f name; echo $a.output`, ""},
		{`x=$a.output; echo "${x@P}"`, "WFC510"},
		{`x=$a.output; printf "$x" y`, "WFC503"},
		{`x=$a.output; printf "$x"`, ""},
		{`declare -a l="$a.output"`, "WFC510"},
		{`declare -a l=("$a.output")`, ""},
		{`declare -A m; k=$a.output; (( m[$k]++ ))`, "WFC514"},
		{`declare -A m; k=$a.output; m[$k]=$(( ${m[$k]:-0} + 1 ))`, ""},
	},
	"variables that programs run": {
		{`read -r PS4 <<< $a.output`, "WFC510"},
		{`export PATH="$a.output:$PATH"`, "WFC510"},
		{`GIT_SSH_COMMAND=$a.output git fetch`, "WFC510"},
		{`MESSAGE=$a.output git commit --allow-empty-message`, ""},
	},
	"input": {
		{`exec 3<<< $a.output; bash <&3`, "WFC511"},
		{`f() { bash; }; echo $a.output | f`, "WFC511"},
		{`tee >(bash) <<< $a.output`, "WFC511"},
		{`tee >(gzip > f) <<< $a.output`, ""},
		{`echo $a.output | xargs sh -c`, "WFC510"},
		{`echo $a.output | xargs -0 printf '%s'`, ""},
		{`echo $a.output | xargs ssh`, "WFC515"},
	},
	"files": {
		{`echo $a.output > run.sh; bash run.sh`, "WFC517"},
		{`cat > run.sh <<E` + "\necho $a.output\nE\n" + `chmod +x run.sh`, "WFC517"},
		{`echo $a.output > x; mv x run.sh; ./run.sh`, "WFC517"},
		{`f=$(mktemp); echo $a.output > "$f"; source "$f"`, "WFC517"},
		{`printf 'all: %s\n' $a.output > Makefile; make`, "WFC517"},
		{`echo $a.output > data.txt; bash run.sh data.txt`, ""},
		{`f=$(mktemp); echo $a.output > "$f"; bash run.sh "$f"`, ""},
	},
	"inner programs": {
		{`bash -c '(( $1 ))' _ $a.output`, "WFC513"},
		{`bash -c 'eval "$1"' _ $a.output`, "WFC513"},
		{`bash -c '"$@"' _ $a.output`, "WFC504"},
		{`bash -c '"$@"' _ deploy $a.output`, ""},
		{`bash -c 'deploy "$1"; n=0; (( n++ ))' _ $a.output`, ""},
		{`export X=$a.output; bash -c '$X'`, "WFC513"},
		{`X=$a.output; bash -c '$X'`, ""}, // not exported
		{`x=$a.output; trap 'eval "$x"' EXIT`, "WFC513"},
		{`x=$a.output; trap 'rm -f "$x"' EXIT`, ""},
		{`x=$(printf %q $a.output); eval "deploy $x"`, ""},
		{`x=$(printf %q $a.output); eval "deploy '$x'"`, "WFC513"},
		{`x=$(printf %q $a.output); eval "$x"`, "WFC513"},
		{"bash -s $a.output <<'E'\neval \"$1\"\nE\n", "WFC513"},
		{`echo $a.output | bash -c 'read n; echo $((n))'`, "WFC513"}, {`echo $a.output | bash -c 'eval "$(cat)"'`, "WFC513"},
		{`echo $a.output | bash -c 'x=$(cat); $x'`, "WFC513"}, {`echo $a.output | bash -c 'while read -r l; do $l; done'`, "WFC513"},
		{`echo $a.output | sh -c 'sh'`, "WFC513"}, {`echo $a.output | sh -c '. /dev/stdin'`, "WFC513"}, {`echo $a.output | sh -c 'xargs sh -c'`, "WFC513"},
		{`echo $a.output | bash -c 'while read -r l; do echo "- $l"; done'`, ""}, {`echo $a.output | sh -c 'bash -c "read n; echo \$((n))"'`, "WFC513"},
		{`echo 5 | bash -c 'read n; echo $((n))'; echo $a.output`, ""}, {`bash -c 'read n; sh' <<< 'echo hi'; echo $a.output`, ""},
		{`find . -exec sh -c 'deploy "$1"' _ {} \; ; echo $a.output`, ""},
		{`find . -exec sh -c 'eval "$1"' _ {} \; ; echo $a.output`, "WFC513"},
	},
	"options": {
		{`git clone $a.output`, "WFC515"}, {`git clone -- $a.output`, ""},
		{`b="fix/$a.output"; git push origin "$b"`, ""}, {`b=$a.output; git push origin "$b"`, "WFC515"}, {`b="fix/$a.output"; git push origin "${b#fix/}"`, "WFC515"},
		{`b="-$a.output"; git push origin "$b"`, "WFC515"}, {`b="fix/$a.output"; read b <<< $a.output; git push origin "$b"`, "WFC515"}, {`b="fix/$a.output"; for b in $a.output; do git push origin "$b"; done`, "WFC515"},
		{`b=x; [ -e y ] && b=$a.output; git push origin "$b"`, "WFC515"}, {`f() { local b="fix/$1"; git push origin "$b"; }; f $a.output`, ""}, {`b="fix/$a.output"; printf -v "$c" x; git push origin "$b"`, "WFC515"},
		{`git fetch origin $a.output`, "WFC515"}, {`git commit -m $a.output`, ""}, {`git checkout $a.output`, ""},
		{`git -c core.pager=$a.output log`, "WFC510"}, {`git -c user.name=$a.output commit`, ""},
		{`git config core.hooksPath $a.output`, "WFC510"}, {`git config user.name $a.output`, ""},
		{`tar xf x.tar $a.output`, "WFC515"}, {`tar xf $a.output`, ""}, {`tar xf x.tar -- $a.output`, ""}, {`tar -czf x.tgz ./$a.output`, ""},
		{`ssh $a.output`, "WFC515"}, {`ssh "me@$a.output"`, ""}, {`ssh -o ProxyCommand=$a.output x`, "WFC510"},
		{`sed s/x/y/ $a.output`, "WFC515"}, {`sed s/x/y/ -- $a.output`, ""}, {`sed 's/.*/&/e' <<< $a.output`, "WFC511"},
		{`sort $a.output`, "WFC516"}, {`sort -- $a.output`, ""}, {`sort -t $a.output -k 1 f`, ""},
		{`make $a.output`, "WFC510"}, {`make X=$a.output`, "WFC510"}, {`make -C $a.output all`, ""}, {`make build-$a.output`, ""},
		{`go test $a.output`, "WFC515"}, {`go test ./$a.output`, ""},
		{`bun -e 'console.log(process.argv[1])' $a.output`, "WFC515"}, {`bun -e 'console.log(process.argv[1])' -- $a.output`, ""}, {`node main.js $a.output`, ""}, {`bun main.js $a.output`, ""},
		{`perl -e 'print shift' $a.output`, "WFC515"}, {`perl -e 'print shift' -- $a.output`, ""},
		{`awk '{ system($0) }' <<< $a.output`, "WFC511"}, {`awk '{ print | "sort" }' <<< $a.output`, ""}, {`awk '/a|b/ { print $1 || $2 }' <<< $a.output`, ""},
		{`strace -o $a.output true`, "WFC510"}, {`split --filter=$a.output f`, "WFC510"},
	},
	"package selectors": {
		{`bun --filter "$a.output" test`, ""}, {`bun --filter "@x/$a.output" test`, ""}, {`x=$a.output; bun -F "@x/$x" test`, ""},
		{`x=$a.output; bun --filter $x test`, "WFC512"}, {`bun --filter x $a.output`, "WFC512"}, {`bun --filter x -e $a.output`, "WFC510"},
		{`bun --cwd $a.output test`, "WFC512"}, {`bun --preload $a.output x.ts`, "WFC510"},
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
