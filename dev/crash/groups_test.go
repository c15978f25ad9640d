//go:build unix

package crash

import (
	"strings"
	"testing"
)

// groupsText is a workflow with a group of nodes, and one inside it, whose iterations read
// the ones before.
func groupsText() string {
	script := func(indent, text string) string {
		return "|\n" + indent + strings.ReplaceAll(preamble+text, "\n", "\n"+indent) + "\n"
	}
	const deep = "            "
	return `name: groups
description: Groups of nodes that leave traces.
nodes:
  - id: seed
    bash: ` + script(deep, "printf seed") + `
  - id: fix
    depends_on: [seed]
    loop_group:
      until_bash: ` + script(deep, "[ $check.output.n = 4 ]") + `
      max_iterations: 6
      nodes:
        - id: write
          prompt: 'after [$LOOP_PREV.write.output] and [$LOOP_PREV.check.output.n] of $seed.output'
        - id: count
          bash: ` + script(deep, `printf '%s.' $LOOP_PREV.count.output`) + `
        - id: polish
          depends_on: [count]
          loop_group:
            until: DONE
            max_iterations: 3
            nodes:
              - id: rub
                bash: ` + script(deep+"      ", `text="$LOOP_PREV.rub.output*"; [ "${#text}" = 2 ] && text=DONE$count.output; printf '%s' "$text"`) + `
        - id: check
          depends_on: [write, count]
          output_format: {type: object, properties: {n: {type: integer}}, required: [n]}
          bash: ` + script(deep, `text=$count.output; printf '{"n": %s}' "${#text}"`) + `
        - id: all
          depends_on: [check, polish]
          bash: ` + script(deep, `printf '%s of %s after [%s]' $write.output $polish.output $LOOP_PREV.polish.output`) + `
  - id: last
    depends_on: [fix]
    bash: ` + script(deep, `printf '%s' $fix.output`)
}

// groupsAgent answers with the step that asks and its prompt.
const groupsAgent = `#!/bin/bash
read -r request
` + preamble + `sleep 0.05
prompt=${request#*'"prompt":"'}; prompt=${prompt%%'"'*}
echo "$WFC_STEP_KEY $prompt"
`

// A group that is killed continues in its iteration: completed nodes do not run again, and
// later ones read the same values of this iteration and of the previous one.
func TestGroupsKilledAndResumed(t *testing.T) {
	kills(t, load{name: "groups", text: groupsText(), agent: groupsAgent, peace: func(t *testing.T, d *document) {
		const polished = "DONE...."
		want := map[string]string{
			"fix#1.write":          "fix#1.write after [] and [] of seed",
			"fix#2.write":          "fix#2.write after [fix#1.write after [] and [] of seed] and [1] of seed",
			"fix#4.count":          "....",
			"fix#4.check":          `{"n":4}`,
			"fix#4.polish#2.rub":   polished + " ",
			"fix#4/until":          "true",
			"fix#3.polish#1.rub":   "* ",
			"fix#4.polish":         polished,
			"fix#3.polish#2/until": "",
		}
		done := d.completed()
		for key, w := range want {
			if got := strings.TrimSpace(done[key]); got != strings.TrimSpace(w) {
				t.Fatalf("undisturbed, `%s` is %q, want %q: %v", key, done[key], w, done)
			}
		}
		if d.Status != "completed" || !strings.HasSuffix(done["last"], "of "+polished+" after [DONE...]") {
			t.Fatalf("undisturbed, the run is %s with %v", d.Status, done)
		}
	}}, quota(8))
}
