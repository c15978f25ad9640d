//go:build unix

package crash

import "testing"

// includesText includes a block twice, of which the second does not run, with a block
// inside it.
func includesText() string {
	return `name: includes
description: Blocks that leave traces.
nodes:
  - id: seed
    ` + block("bash", "printf seed") + `
  - id: first
    include: part
    depends_on: [seed]
    with: {word: "of $seed.output", command: printf code}
  - id: second
    include: part
    depends_on: [first]
    when: $first.output == 'never'
    with: {word: never, command: "true"}
  - id: last
    depends_on: [first, second]
    trigger_rule: none_failed_min_one_success
    ` + block("bash", `printf '%s|%s' $first.output $second.output`)
}

var includedTexts = map[string]string{
	"part.yaml": `name: part
description: A block.
returns: join
nodes:
  - id: one
    ` + block("bash", "printf 'one %s ' \"$INPUTS.word\"; $INPUTS.command") + `
  - id: two
    ` + block("bash", `printf 'two %s' "$INPUTS_WORD"`) + `
  - id: inner
    include: inner
    depends_on: [one]
    with: {text: "$one.output", word: "$INPUTS.word"}
  - id: join
    depends_on: [two, inner]
    ` + block("bash", `printf '%s, %s' $two.output $inner.output`) + `
  - id: after
    depends_on: [join]
    trigger_rule: all_done
    ` + block("bash", "printf after"),
	"inner.yaml": `name: inner
description: A block in a block.
nodes:
  - id: deep
    ` + block("bash", "printf 'deep %s %s' $INPUTS.text \"$INPUTS.word\""),
}

// A block that is killed continues with what it has completed, and one that was skipped
// stays skipped.
func TestBlocksKilledAndResumed(t *testing.T) {
	kills(t, load{name: "includes", text: includesText(), beside: includedTexts, peace: func(t *testing.T, d *document) {
		want := map[string]string{
			"first__one": "one of seed code", "first__inner__deep": "deep one of seed code of seed",
			"first__join": "two of seed, deep one of seed code of seed", "first__after": "after",
			"last": "two of seed, deep one of seed code of seed|",
		}
		done := d.completed()
		for key, w := range want {
			if done[key] != w {
				t.Fatalf("undisturbed, `%s` is %q, want %q", key, done[key], w)
			}
		}
		if d.Status != "completed" || d.step("second").Status != "skipped" || d.step("second__after").Status != "skipped" {
			t.Fatalf("undisturbed, the run is %s with %v", d.Status, done)
		}
	}}, quota(12))
}
