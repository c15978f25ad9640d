//go:build unix

package crash

import "testing"

// itemsText runs a block for each item of a list.
func itemsText() string {
	return `name: items
description: Blocks of items that leave traces.
nodes:
  - id: list
    ` + block("bash", `printf '["a", "bad", {"c": 1}]'`) + `
  - id: each
    include: part
    depends_on: [list]
    fan_out: {items: $list.output, as: word, max_parallel: 2}
    with: {list: $list.output}
  - id: last
    depends_on: [each]
    ` + block("bash", `printf '%s' $each.output`)
}

var itemTexts = map[string]string{
	"part.yaml": `name: part
description: A block.
nodes:
  - id: one
    ` + block("bash", `[ "$INPUTS.word" = bad ] && exit 1; printf 'one %s' "$INPUTS.word"`) + `
  - id: inner
    include: inner
    depends_on: [one]
    with: {text: "$one.output of $INPUTS.list"}
  - id: two
    depends_on: [inner]
    ` + block("bash", `printf 'two %s' "$INPUTS_WORD"`) + `
  - id: join
    depends_on: [two]
    ` + block("bash", `printf '%s, %s' $two.output $inner.output`),
	"inner.yaml": `name: inner
description: A block in a block.
nodes:
  - id: deep
    ` + block("bash", "printf 'deep %s' \"$INPUTS.text\""),
}

// A block of items that is killed continues each item where it was: completed nodes do not
// run again, and each item stays the one of its position.
func TestItemsKilledAndResumed(t *testing.T) {
	kills(t, load{name: "items", text: itemsText(), beside: itemTexts, peace: func(t *testing.T, d *document) {
		want := map[string]string{
			"each[0].one": "one a", "each[2].one": `one {"c":1}`, "each[2].two": `two {"c":1}`,
			"each[0].inner__deep": `deep one a of ["a", "bad", {"c": 1}]`,
			"each[0].join":        `two a, deep one a of ["a", "bad", {"c": 1}]`,
		}
		done := d.completed()
		for key, w := range want {
			if done[key] != w {
				t.Fatalf("undisturbed, `%s` is %q, want %q: %v", key, done[key], w, done)
			}
		}
		if d.Status != "completed" || done["last"] != done["each"] || d.step("each[1].one").Status != "failed" || d.step("each[1].join").Status != "skipped" {
			t.Fatalf("undisturbed, the run is %s with %v", d.Status, done)
		}
	}}, quota(8))
}
