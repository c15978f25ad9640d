//go:build unix

package main

import (
	"fmt"
	"strings"
)

// tests measures a process that runs 1,000 small tests of ten workflows, whose test program
// was built before.
func (b *bench) tests() error {
	const workflows, each = 10, 100
	files := map[string]string{}
	for i := range workflows {
		name := fmt.Sprintf("flow%d", i)
		files[name+".yaml"], files[name+".test.yaml"] = testedWorkflow(name), smallTests(each)
	}
	dir, err := b.folder("tests", files)
	if err != nil {
		return err
	}
	run := b.wfcCommand("test", dir)
	taken, err := b.take(run) // its first round compiles, and does not count
	if err != nil {
		return err
	}
	b.table.add(row{"wfc test, 1,000 tests of ten workflows, compiled", "5 s", "1 s",
		fmt.Sprintf("%s, %s", taken[0], megabytes(taken[0].peak())), "no process for a test"})
	return nil
}

// testedWorkflow has a branch, a join and a gate.
func testedWorkflow(name string) string {
	return strings.ReplaceAll(`name: NAME
description: d
nodes:
  - id: fetch
    bash: gh issue view "$ARGUMENTS"
  - id: classify
    depends_on: [fetch]
    prompt: "Classify for NAME: $fetch.output"
    output_format:
      type: object
      properties: {kind: {type: string, enum: [bug, feature]}}
      required: [kind]
  - id: fix
    depends_on: [classify]
    when: $classify.output.kind == 'bug'
    prompt: Fix it.
  - id: plan
    depends_on: [classify]
    when: $classify.output.kind == 'feature'
    prompt: Plan it.
  - id: agreed
    depends_on: [fix, plan]
    trigger_rule: none_failed_min_one_success
    approval: {message: "Post it?"}
  - id: post
    depends_on: [agreed]
    bash: gh issue comment "$ARGUMENTS"
`, "NAME", name)
}

func smallTests(n int) string {
	var b strings.Builder
	b.WriteString("tests:\n")
	for i := range n {
		kind, other := "bug", "plan"
		if i%2 == 1 {
			kind, other = "feature", "fix"
		}
		fmt.Fprintf(&b, `  - name: test %d
    inputs: {arguments: "%d"}
    bash: {fetch: It crashes, post: done}
    agents: {classify: {json: {kind: %s}}, fix: Done., plan: Done.}
    answers: {agreed: approve}
    expect:
      skipped: [%s]
      nodes: {post: done}
      prompts: {classify: {contains: It crashes}}
`, i, i, kind, other)
	}
	return b.String()
}
