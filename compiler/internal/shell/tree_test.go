package shell

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/wfc-lang/wfc/compiler/source"
)

// TestListNodes wants the nodes of scripts, which are partly listed without the
// library's help, to be those that its walk visits, at the same depths.
func TestListNodes(t *testing.T) {
	for _, src := range []string{
		`echo a 'b' "c $d ${e} ${#f} $1" $g$'h' $"i"`,
		`echo ${a:-b $c} ${a[1]} ${a:1:2} ${a/b/c} ${!a} ${!a@} "${a@Q}" ${#a[@]}`,
		`echo $(date "+$f") "$(ls "$x" | wc)" $((a+b)) <(cat <<<"$z") @(a|$b)`,
		"cat <<EOF # note\nx $y ${z}\nEOF\ncat <<'EOF'\n$no\nEOF\n",
		"# first\nf() { local -r a=1 b; # second\n  echo $a # third\n}\n# last\n",
		`for i in a "$b"; do [[ $i =~ ^x$ && -n "$y" ]]; done; case $x in a|"$b") ;; *) (( n += 1 )) ;; esac`,
		"a=(1 [2]=$b \"$c\"); d=$e ls; declare -A m; let 'x=1' y=2; time ls & coproc cat",
		strings.Repeat("if $a; then \"$b\"; fi\n", 40),
	} {
		s := newScript(NewRewriter(DefaultOptions()), source.PlainText(src), nil)
		file, err := s.parseBash(src)
		if err != nil {
			t.Fatalf("%s\n%v", src, err)
		}
		var want []treeNode
		depth := 0
		syntax.Walk(file, func(n syntax.Node) bool {
			if n == nil {
				depth--
				return true
			}
			want = append(want, treeNode{n, depth})
			depth++
			return true
		})
		got := s.listNodes(file)
		if len(got) != len(want) {
			t.Errorf("%s\n%d nodes, want %d", src, len(got), len(want))
			continue
		}
		for i, n := range got {
			// The library hands out copies of some comments.
			if _, comment := n.node.(*syntax.Comment); n.depth != want[i].depth || !comment && n.node != want[i].node {
				t.Errorf("%s\nnode %d is %T at depth %d, want %T at %d", src, i, n.node, n.depth, want[i].node, want[i].depth)
			}
		}
	}
}
