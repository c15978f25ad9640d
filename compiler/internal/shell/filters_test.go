package shell

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// filterCases are commands in `x=$(…)`, of which the value is a part of a program:
// first those whose output holds only numbers.
var filterCases = struct{ numbers, anything []string }{
	numbers: []string{
		`grep -oE '[0-9]+' <<< $a.output`,
		`grep -o '[0-9]*' <<< $a.output`,
		`grep -o '[0-9]\+' <<< $a.output`,
		`grep -o '[[:digit:]]\{1,3\}' <<< $a.output`,
		`grep --only-matching --extended-regexp '[0-9]+' <<< $a.output`,
		`echo $a.output | grep -Eo -m 1 "[0-9]{4}-[0-9]{2}-[0-9]{2}"`,
		`echo $a.output | egrep -o '^[0-9]+(\.[0-9]+)*$'`,
		`echo $a.output | grep -oP '\d+(?:\.\d+)?'`,
		`echo $a.output | grep -oP 'Sprint \K\d+'`,
		`echo $a.output | grep -oE '([0-9]+\.)+[0-9]+|[1-9]'`,
		`echo $a.output | grep -o -e '[0-9][0-9]' -e '7'`,
		`echo $a.output | command grep -oE '[0-9]+'`,
		`grep -ioE 'sprint\s+[0-9]+' "$f" | grep -oE '[0-9]+' | sort -n | tail -1`,
		`grep -oE '[0-9]+' /etc/hosts`,
		`grep -oE '[0-9]+' <<< $a.output | sort -rn -k 1 | uniq | head -n 1 || echo 3`,
		`grep -oE '[0-9]+\.[0-9]+' <<< $a.output | cut -d. -f1 | tr -d ' \n'`,
		`grep -oE '[0-9]+' <<< $a.output | tac | tail -n +2 | wc -l`,
		`tr -cd '0-9' <<< $a.output`,
		`tr -dc '[:digit:]\n' <<< $a.output | head -3`,
	},
	anything: []string{
		// The pattern matches other text.
		`grep -o '[0-9;]*' <<< $a.output`,
		`grep -oE '[0-9]+|.*' <<< $a.output`,
		`grep -oE '.*' <<< $a.output`,
		`grep -oE '[^a]+' <<< $a.output`,
		`grep -oE '[0-9a-z]+' <<< $a.output`,
		`grep -oE '[0-9]+.' <<< $a.output`,
		`grep -oE '\S+' <<< $a.output`,
		`grep -oE '[0-9-]+' <<< $a.output`,
		`grep -oE '[.0-9]+' <<< $a.output`,
		`grep -oE '[+-9]+' <<< $a.output`,
		`grep -oE '[0-z]+' <<< $a.output`,
		`grep -oE '(-?[0-9]+)' <<< $a.output`,
		`grep -oE '[0-9]+(\.\.)?' <<< $a.output`,
		`grep -oE '[0-9]+\.*' <<< $a.output`,
		`grep -oE '([0-9]*\.?)+' <<< $a.output`,
		`grep -oE '\d+' <<< $a.output`,
		`grep -oE '([^0-9])\1' <<< $a.output`,
		`grep -oP '(?<=x)\d+|\w+' <<< $a.output`,
		`grep -oP '.+|x\K\d+' <<< $a.output`,
		`grep -oP '\\K[0-9]+' <<< $a.output`,
		`grep -oP '\d+\K.*' <<< $a.output`,
		`grep -oP '[\d;]+' <<< $a.output`,
		"grep -oE '[0-9]+\n.*' <<< $a.output",
		`grep -oE $'[0-9]+\x7c.*' <<< $a.output`,
		`grep -o -e '[0-9]' -e ';' <<< $a.output`,
		`grep -o -f patterns <<< $a.output`,
		`grep -oE "$p" <<< $a.output`,
		`grep -oE $a.output /etc/hosts`,
		`p='[0-9]'; p="$p$a.output"; grep -oE "$p" f`,
		// A name of a file may replace a pattern without quotes.
		`grep -o [0-9]* <<< $a.output`,
		// Options by which grep prints something else.
		`grep -E '[0-9]+' <<< $a.output`,
		`grep -vE '[0-9]+' <<< $a.output`,
		`grep -voE '[0-9]+' <<< $a.output`,
		`grep -orE '[0-9]+' .`,
		`grep -oHE '[0-9]+' "$a.output"`,
		`grep -oE '[0-9]+' "$a.output" "b"`,
		`grep -oE '[0-9]+' *.md`,
		`grep -oE '[0-9]+' "$a.output"`,
		`grep -oE -A1 '[0-9]+' <<< $a.output`,
		`grep -oE --colour=always '[0-9]+' <<< $a.output`,
		`grep -lo '[0-9]' "$a.output"`,
		`grep -oE $o '[0-9]+' <<< $a.output`,
		`o='-e.*'; grep -oE '[0-9]+' "$o" <<< $a.output`,
		`export GREP_OPTIONS=-v; grep -oE '[0-9]+' <<< $a.output`,
		`grep() { cat; }; grep -oE '[0-9]+' <<< $a.output`,
		`xargs grep -oE '[0-9]+' <<< $a.output`,
		// Filters that make other text of numbers, or read something else.
		`grep -oE '[0-9]+' <<< $a.output | tr 0-9 a-j`,
		`grep -oE '[0-9]+' <<< $a.output | tr -d '0-9'`,
		`grep -oE '[0-9]+' <<< $a.output | tr -d ' -~'`,
		`grep -oE '[0-9]+' <<< $a.output | tr -cd ';'`,
		`grep -oE '[0-9]+' <<< $a.output | tr -s '\n' ';'`,
		`grep -oE '[0-9]+' <<< $a.output | sed 's/1/;/g'`,
		`grep -oE '[0-9]+' <<< $a.output | awk '{ printf "%c", $1 }'`,
		`grep -oE '[0-9]+' <<< $a.output | xxd -r -p`,
		`grep -oE '[0-9]+\.[0-9]+' <<< $a.output | cut -d1 -f2`,
		`grep -oE '[0-9]+\.[0-9]+' <<< $a.output | cut -c2-`,
		`grep -oE '[0-9]+\.[0-9]+' <<< $a.output | head -c 2`,
		`grep -oE '[0-9]+' <<< $a.output | cut -f1 --output-delimiter=';'`,
		`grep -oE '[0-9]+' <<< $a.output | sort - "$a.output"`,
		`grep -oE '[0-9]+' <<< $a.output | head -1 "$a.output"`,
		`grep -oE '[0-9]+' <<< $a.output | sort --files0-from=f`,
		`grep -oE '[0-9]+' <<< $a.output | xargs -I{} cat {}`,
		`{ grep -oE '[0-9]+' <<< $a.output; cat f; }`,
		`grep -oE '[0-9]+' <<< $a.output || cat f`,
		`sort -n <<< $a.output | tail -1`,
		`tr -cd '0-9;' <<< $a.output`,
		`tr -cd '!-9' <<< $a.output`,
		`tr -c '0-9' ';' <<< $a.output`,
	},
}

func TestFilters(t *testing.T) {
	bashPath(t)
	errors := func(script string) bool {
		_, found := rewriteText(script)
		return strings.Contains(strings.Join(messages(found), "\n"), "WFC510") && diag.HasErrors(found)
	}
	for _, c := range filterCases.numbers {
		for _, script := range []string{"x=$(" + c + "); sed \"s/A/$x/\"", c + " | while read -r x; do eval \"echo $x\"; done"} {
			if script += "; echo $a.output"; errors(script) {
				t.Errorf("refused: %s", script)
			}
		}
	}
	for _, c := range filterCases.anything {
		if script := "x=$(" + c + "); eval \"echo $x\"; echo $a.output"; !errors(script) {
			t.Errorf("accepted: %s", script)
		}
	}
}

// TestFilterDefaults follows a number and the script's own literals through
// variables, conditions and an IFS that splits it.
func TestFilterDefaults(t *testing.T) {
	bashPath(t)
	const found = `n=3; if [ -f f ]; then x=$(grep -oE '[0-9]+' f | tail -1); [ -n "$x" ] && n=$x; fi; `
	for script, hostile := range map[string]bool{
		found + `[ "$n" -gt 10 ] && n=10; sed "s/A/$n/" f`:               false,
		found + `IFS=5; set -- $n; sed "s/A/$2/" f`:                      false,
		found + `n+=1; sed "s/A/$n/" f`:                                  false,
		found + `n=$a.output; [ "$n" -gt 10 ] && sed "s/A/$n/" f`:        true,
		found + `n+=$a.output; sed "s/A/$n/" f`:                          true,
		found + `read -r n < f; sed "s/A/$n/" f`:                         true,
		found + `printf -v "$v" '%s' $a.output; sed "s/A/$n/" f`:         true,
		found + `f() { n=$1; }; f $a.output; sed "s/A/$n/" f`:            true,
		found + `IFS=5; read -r n x <<< "$n $y"; sed "s/A/$n/" f`:        false,
		found + `for n in $n $a.output; do sed "s/A/$n/" f; done`:        true,
		found + `[[ $a.output =~ (.*) ]]; sed "s/A/${BASH_REMATCH[1]}/"`: true,
	} {
		_, list := rewriteText(script + "; echo $a.output")
		if diag.HasErrors(list) != hostile {
			t.Errorf("%s\nrefused: %v, want %v: %v", script, !hostile, hostile, messages(list))
		}
	}
}
