//go:build unix

package crash

import (
	"fmt"
	"strings"
)

// A node of the workflow under test.
type node struct {
	id    string
	needs []string
	// when and rule are as in the workflow.
	when, rule string
	// value is the bash that prints the node's output. It may read others.
	value string
	// sleep is how long the node takes, in milliseconds.
	sleep int
}

// nodes returns thirty nodes in layers, with true and false conditions, every
// trigger rule, values that others read, a large value, and one node that fails on
// request. The outputs are the same whatever happens on the way.
func nodes(failing bool) []node {
	fragile := `printf 'survived'`
	if failing {
		fragile = `printf 'as it must' >&2; exit 3`
	}
	var list []node
	add := func(n node) {
		n.sleep = 5 + 7*len(list)%23
		list = append(list, n)
	}
	for i := range 4 {
		add(node{id: fmt.Sprintf("seed-%d", i), value: fmt.Sprintf("printf 'seed %d\\n\\n'", i)})
	}
	for i := range 6 {
		a, b := fmt.Sprintf("seed-%d", i%4), fmt.Sprintf("seed-%d", (i+1)%4)
		add(node{id: fmt.Sprintf("mix-%d", i), needs: []string{a, b}, value: "printf '%s+%s' $" + a + ".output $" + b + ".output"})
	}
	add(node{id: "probe", needs: []string{"mix-0"}, value: `printf '{"mode": "fast", "count": 3}'`})
	add(node{id: "large", needs: []string{"mix-1"}, value: `printf '%0100000d' 7`})
	add(node{id: "fragile", needs: []string{"mix-2"}, value: fragile})
	add(node{id: "quick", needs: []string{"probe"}, when: "$probe.output.mode == 'fast'", value: `printf 'quick %s' $probe.output.count`})
	add(node{id: "slow", needs: []string{"probe"}, when: "$probe.output.mode == 'slow'", value: `printf 'never'`})
	add(node{id: "many", needs: []string{"probe"}, when: "$probe.output.count > '2'", value: `printf 'many'`})
	add(node{id: "after-slow", needs: []string{"slow"}, value: `printf 'never'`})
	add(node{id: "size", needs: []string{"large"}, value: "text=$large.output\nprintf '%s' \"${#text}\""})
	add(node{id: "either", needs: []string{"quick", "slow"}, rule: "none_failed_min_one_success", value: `printf 'either %s' $quick.output`})
	add(node{id: "rescue", needs: []string{"fragile", "mix-3"}, rule: "all_done", value: `printf 'rescued'`})
	add(node{id: "any", needs: []string{"fragile", "mix-4"}, rule: "one_success", value: `printf 'any of %s' $mix-4.output`})
	for i, need := range []string{"size", "either", "rescue", "any", "many"} {
		add(node{id: fmt.Sprintf("leaf-%d", i), needs: []string{need, "mix-5"}, value: "printf '%s of %s' $" + need + ".output $mix-5.output"})
	}
	add(node{id: "gather", needs: []string{"leaf-0", "leaf-1", "leaf-4"}, rule: "none_failed_min_one_success", value: "cat <<EOF\n$leaf-0.output\n$leaf-1.output\n$leaf-4.output\nEOF"})
	add(node{id: "cleanup", needs: []string{"leaf-2", "leaf-3", "slow"}, rule: "all_done", value: `printf 'clean'`})
	add(node{id: "sum", needs: []string{"gather", "size"}, value: `echo $(( $size.output + 1 ))`})
	add(node{id: "last", needs: []string{"gather", "cleanup", "sum"}, value: `printf 'last %s' $gather.output`})
	return list
}

// text writes the workflow. Every node notes in the file of side effects when it
// begins and when it ends, with its process's generation and a separate number. It
// notes the end before it prints the output: a node that has lost the process that
// reads its output would die of printing, and its side effects are those of a
// survivor. A node that has lost its process also leaves something running behind
// it, which notes a late deed unless it is ended in time.
func text(name string, list []node) string {
	var b strings.Builder
	fmt.Fprintf(&b, "name: %s\ndescription: Thirty nodes that leave traces.\nnodes:\n", name)
	for _, n := range list {
		fmt.Fprintf(&b, "  - id: %s\n", n.id)
		if n.needs != nil {
			fmt.Fprintf(&b, "    depends_on: [%s]\n", strings.Join(n.needs, ", "))
		}
		if n.when != "" {
			fmt.Fprintf(&b, "    when: %s\n", n.when)
		}
		if n.rule != "" {
			fmt.Fprintf(&b, "    trigger_rule: %s\n", n.rule)
		}
		fmt.Fprintf(&b, `    bash: |
      exec 3>>"$SIDE_EFFECTS"
      echo "start %[1]s $GENERATION $$" >&3
      (sleep 0.2; echo "late %[1]s $GENERATION $$" >&3) > /dev/null 2>&1 &
      disown
      sleep 0.%03[2]d
      echo "end %[1]s $GENERATION $$" >&3
      kill -0 "$PPID" 2> /dev/null && kill "$!"
      %[3]s
`, n.id, n.sleep, strings.ReplaceAll(n.value, "\n", "\n      "))
	}
	return b.String()
}
