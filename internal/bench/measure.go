//go:build unix

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// take measures processes in turns: each once a round. The first round is a
// warm-up and does not count.
func (b *bench) take(list ...process) ([]series, error) {
	all := make([]series, len(list))
	for round := range b.rounds + 1 {
		for i, p := range list {
			s, err := b.measure(p)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				all[i] = append(all[i], s)
			}
		}
	}
	return all, nil
}

// wfcCommand is a command of wfc that leaves no trace outside of the session.
func (b *bench) wfcCommand(args ...string) process {
	return process{name: b.wfc, args: args, dir: b.dir, env: []string{"NO_COLOR=1"}}
}

// sampleWorkflow writes a workflow of about a hundred lines that uses what
// people use: prompts with output formats, conditions, trigger rules, scripts
// with values, retries. Two numbers give two texts, of about the same length.
func sampleWorkflow(number int) string {
	r := strings.NewReplacer("NUMBER", fmt.Sprint(number), "SUBJECT", subjects[number%len(subjects)], "LIMIT", fmt.Sprint(number%7+2))
	return r.Replace(sampleText)
}

var subjects = []string{"the parser", "the store", "the command line", "documentation", "performance", "error messages", "tests"}

const sampleText = `# Works on SUBJECT, number NUMBER.
name: sample-NUMBER
description: |
  Reads an issue about SUBJECT, decides what it is, does the work
  and reports it.
provider: claude
model: sonnet

nodes:
  - id: fetch
    bash: |
      set -euo pipefail
      printf '%s\n' "$ARGUMENTS" > "$ARTIFACTS_DIR/issue-NUMBER.txt"
      head -n LIMIT "$ARTIFACTS_DIR/issue-NUMBER.txt"
    timeout: 30000

  - id: classify
    depends_on: [fetch]
    prompt: |
      Classify this issue about SUBJECT as a bug, a feature or a question.

      $fetch.output
    output_format:
      type: object
      properties:
        kind: {type: string, enum: [bug, feature, question]}
        title: {type: string}
        severity: {type: integer}
        files:
          type: array
          items: {type: string}
      required: [kind, title, severity, files]
    retry:
      max_attempts: 2

  - id: inspect
    depends_on: [classify]
    when: $classify.output.kind == 'bug' && $classify.output.severity > 'LIMIT'
    bash: |
      for file in LICENSE README.md; do
        if [[ -f $file ]]; then
          wc -l "$file"
        fi
      done
      cat <<EOF
      severe: $classify.output.title
      in: $classify.output.files
      EOF

  - id: investigate
    depends_on: [classify, fetch]
    when: $classify.output.kind == 'bug'
    prompt: |
      Find the cause of "$classify.output.title" in SUBJECT:

      $fetch.output

  - id: plan
    depends_on: [classify, fetch]
    when: $classify.output.kind == 'feature'
    prompt: |
      Plan the feature "$classify.output.title" for SUBJECT in LIMIT steps:

      $fetch.output

  - id: answer
    depends_on: [classify, fetch]
    when: $classify.output.kind == 'question'
    prompt: |
      Answer the question:

      $fetch.output

  - id: work
    depends_on: [investigate, plan, answer]
    trigger_rule: none_failed_min_one_success
    bash: |
      result=$(printf '%s' "$investigate.output$plan.output$answer.output" | tr -d '\r')
      case "$result" in
        *NUMBER*) echo "it names NUMBER" ;;
        "") echo "there is nothing" >&2; exit 1 ;;
        *) printf '%s\n' "${result:0:200}" ;;
      esac

  - id: verify
    depends_on: [work]
    bash: |
      printf '%s' $work.output | grep -c . || true

  - id: report
    depends_on: [classify, work, verify]
    prompt: |
      Write a report on "$classify.output.title" for people who know SUBJECT.
      It has $verify.output lines:

      $work.output
`

// A series is what several runs of one process took.
type series []sample

// median and least return the wall-clock time of the middle and of the
// quickest run.
func (s series) median() time.Duration { return s.sorted()[len(s)/2] }
func (s series) least() time.Duration  { return s.sorted()[0] }

func (s series) sorted() []time.Duration {
	var list []time.Duration
	for _, one := range s {
		list = append(list, one.wall)
	}
	slices.Sort(list)
	return list
}

// ratio returns the median of the ratios to the times of another series, round by round: a
// busy moment of the machine meets both.
func (s series) ratio(other series) float64 {
	var list []float64
	for i := range s {
		list = append(list, s[i].wall.Seconds()/other[i].wall.Seconds())
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// above tells by how much the series takes longer than another one, round by round: the
// median, and the difference of the quickest runs in brackets.
func (s series) above(other series) string {
	var list []time.Duration
	for i := range s {
		list = append(list, s[i].wall-other[i].wall)
	}
	slices.Sort(list)
	return fmt.Sprintf("%s (%s) ms", milliseconds(list[len(list)/2]), milliseconds(s.least()-other.least()))
}

// effort tells what does not depend on how busy the machine is: the processor time, and the
// context switches of a node.
func (s series) effort(nodes int) string {
	var switches []int64
	for _, one := range s {
		switches = append(switches, one.switches)
	}
	slices.Sort(switches)
	return fmt.Sprintf("processors %s ms, %.0f context switches a node", milliseconds(s.processors()), float64(switches[len(s)/2])/float64(nodes))
}

// processors returns the middle of the processor times.
func (s series) processors() time.Duration {
	var times []time.Duration
	for _, one := range s {
		times = append(times, one.cpu)
	}
	slices.Sort(times)
	return times[len(s)/2]
}

// peak returns the middle of the largest memories, in bytes.
func (s series) peak() int64 {
	var list []int64
	for _, one := range s {
		list = append(list, one.peak)
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// String is the median with the least in brackets, in milliseconds.
func (s series) String() string {
	return fmt.Sprintf("%s (%s) ms", milliseconds(s.median()), milliseconds(s.least()))
}

// milliseconds is a time with the digits that matter.
func milliseconds(d time.Duration) string {
	ms := d.Seconds() * 1000
	if ms < 100 {
		return fmt.Sprintf("%.1f", ms)
	}
	return fmt.Sprintf("%.0f", ms)
}

// megabytes is a size in units of a million bytes.
func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// A row is one line of the table. Texts that begin with "recorded" are of
// earlier measurements; everything else was measured in this session.
type row struct {
	what, must, aim, measured, neighbour string
}

type table []row

func (t *table) add(r row) { *t = append(*t, r) }

// write prints the table in Markdown, with columns of one width.
func (t table) write(w io.Writer) {
	rows := append([]row{{"what", "must", "aim", "measured", "neighbour"}}, t...)
	var cells [][]string
	for _, r := range rows {
		cells = append(cells, []string{r.what, r.must, r.aim, r.measured, r.neighbour})
	}
	width := make([]int, 5)
	for _, line := range cells {
		for i, c := range line {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	for n, line := range cells {
		for i, c := range line {
			fmt.Fprintf(w, "| %s%s ", c, strings.Repeat(" ", width[i]-utf8.RuneCountInString(c)))
		}
		fmt.Fprintln(w, "|")
		if n == 0 {
			for _, n := range width {
				fmt.Fprintf(w, "|%s", strings.Repeat("-", n+2))
			}
			fmt.Fprintln(w, "|")
		}
	}
}
