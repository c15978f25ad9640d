//go:build unix

package crash

import (
	"fmt"
	"strings"
	"testing"
)

// preamble begins the scripts of loops and gates, and of their agents: it notes
// the deed, takes a moment, and leaves something running behind it, as the nodes
// of text do.
const preamble = `exec 3>>"$SIDE_EFFECTS"
echo "start $WFC_STEP_KEY $GENERATION $$" >&3
(sleep 0.2; echo "late $WFC_STEP_KEY $GENERATION $$" >&3) > /dev/null 2>&1 &
sleep 0.01
echo "end $WFC_STEP_KEY $GENERATION $$" >&3
kill -0 "$PPID" 2> /dev/null && kill "$!"
`

// block is a script with its preamble as a block of YAML below a key.
func block(key, script string) string {
	return key + ": |\n        " + strings.ReplaceAll(preamble+script, "\n", "\n        ") + "\n"
}

// loopsText is a workflow of loops that end by a word, by a test, and in their
// second attempt, beside a script that succeeds in its second. Every iteration
// reads the one before.
func loopsText() string {
	return `name: rounds
description: Loops that leave traces.
nodes:
  - id: seed
    ` + block("bash", "printf seed") + `
  - id: signal
    depends_on: [seed]
    loop: {prompt: 'after [$LOOP_PREV_OUTPUT] of $seed.output; the word is DONE', until: DONE, max_iterations: 10}
  - id: tested
    loop:
      prompt: after [$LOOP_PREV_OUTPUT]
      until: unused
      max_iterations: 5
      ` + block("until_bash", `[ "$WFC_STEP_KEY" = "tested#3/until" ]`) + `
  - id: again
    retry: {max_attempts: 2, delay_ms: 1000, on_error: all}
    loop: {prompt: 'after [$LOOP_PREV_OUTPUT]; the word is DONE', until: DONE, max_iterations: 3}
  - id: second-try
    retry: {max_attempts: 2, delay_ms: 1000, on_error: all}
    ` + block("bash", "if ! mkdir tried 2> /dev/null; then printf tried; else exit 1; fi") + `
  - id: last
    depends_on: [signal, tested, again, second-try]
    ` + block("bash", `printf '%s\n' $signal.output $tested.output $again.output $second-try.output`)
}

// loopsAgent answers by the step that asks, with its prompt. It takes so long that
// most kills come in the middle of a loop.
const loopsAgent = `#!/bin/bash
read -r request
` + preamble + `sleep 0.08
prompt=${request#*'"prompt":"'}; prompt=${prompt%%';'*}; prompt=${prompt%%'"'*}
case $WFC_STEP_KEY in
  again#2) echo '{"wfc": 1, "error": {"message": "it broke"}}'; exit ;;
  signal#8|again/attempt2#3) printf '<promise>DONE</promise> ' ;;
esac
echo "$WFC_STEP_KEY $prompt"
`

// A loop that is killed continues at its iteration: completed work is not repeated,
// and later steps read the same values as in an undisturbed run.
func TestLoopsKilledAndResumed(t *testing.T) {
	kills(t, load{name: "rounds", text: loopsText(), agent: loopsAgent, peace: func(t *testing.T, d *document) {
		rounds := ""
		for i := 1; i <= 8; i++ {
			rounds = fmt.Sprintf("signal#%d after [%s] of seed", i, rounds)
		}
		want := map[string]string{
			"signal": rounds,
			"tested": "tested#3 after [tested#2 after [tested#1 after []]]",
			"again":  "again/attempt2#3 after [again/attempt2#2 after [again/attempt2#1 after []]]",
		}
		done := d.completed()
		for key, w := range want {
			if done[key] != w {
				t.Fatalf("undisturbed, `%s` is %q, want %q", key, done[key], w)
			}
		}
		if d.Status != "completed" || done["second-try"] != "tried" || done["tested#2/until"] != "false" {
			t.Fatalf("undisturbed, the run is %s with %v", d.Status, done)
		}
	}}, quota(12))
}
