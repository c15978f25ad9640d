package config_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/compiler/source"
)

const tagged = `name: tagged
description: x
nodes:
  - id: build
    bash: make
  - id: train
    depends_on: [build]
    bash: train
`

// Tags in wfc.yaml reach the nodes of the file, and change no fingerprint.
func TestTags(t *testing.T) {
	for _, tt := range []struct{ config, tags, finding, help string }{
		{"", "", "", ""},
		{`workflows: {"flows/a.yaml": {tags: {train: gpu}}}`, "gpu", "", ""},
		{`workflows: {"flows/*.yaml": {tags: {train: [gpu, trusted], other: x}}}`, "gpu trusted", "", ""},
		{`workflows: {"flows/a.yaml": {tags: {trian: gpu}}}`, "", "unknown node `trian` in `tags` of workflow tagged", "did you mean `train`?"},
	} {
		c, findings := config.Parse(source.NewFile("wfc.yaml", []byte(tt.config)))
		if len(findings) > 0 {
			t.Fatal(findings[0].Message)
		}
		c.Dir = "/p"
		opt := c.Options("/p/flows/a.yaml")
		opt.Dialect = "archon"
		r := compiler.Compile(source.NewFile("flows/a.yaml", []byte(tagged)), opt)
		found, help := "", ""
		for _, d := range r.Diagnostics {
			if d.Severity.String() == "error" {
				found, help = d.Message, strings.Join(d.Help, " ")
			}
		}
		if found != tt.finding || help != tt.help {
			t.Errorf("%s: %s %s", tt.config, found, help)
			continue
		}
		if tt.finding == "" {
			if got := strings.Join(r.Workflow.Workflow.TagsOf(r.Workflow.Workflow.Body.All()[1]), " "); got != tt.tags {
				t.Errorf("%s: the tags are %q", tt.config, got)
			}
			plain := compiler.Compile(source.NewFile("flows/a.yaml", []byte(tagged)), compiler.Options{Path: "/p/flows/a.yaml", Dialect: "archon"})
			if r.Workflow.Fingerprint() != plain.Workflow.Fingerprint() {
				t.Errorf("%s: the fingerprint depends on the tags", tt.config)
			}
		}
	}
}

func TestWrongTags(t *testing.T) {
	for _, text := range []string{`workflows: {a.yaml: {tags: {n: "a b"}}}`, `workflows: {a.yaml: {tags: {n: -x}}}`, `agents: {a: {use: claude, tags: ["+"]}}`} {
		if _, findings := config.Parse(source.NewFile("wfc.yaml", []byte(text))); len(findings) != 1 || !strings.Contains(findings[0].Message, "a tag such as `gpu`") {
			t.Errorf("%s: %v", text, findings)
		}
	}
}

// A name that no workflow of a pattern has is reported once all workflows are known.
func TestUnknownNodes(t *testing.T) {
	flows := map[string][]string{"/p/flows/a.yaml": {"build", "train", "train.step"}, "/p/flows/b.yaml": {"ship"}, "/p/broken/c.yaml": nil}
	for _, tt := range []struct{ config, finding, help string }{
		{`{"flows/*.yaml": {tags: {train: gpu, ship: x}}}`, "", ""},
		{`{"flows/*.yaml": {tags: {trian: gpu}}}`, "unknown node `trian` in `tags` of the workflows `flows/*.yaml`", "did you mean `train`?"},
		{`{"flows/*.yaml": {tags: {train.step: gpu}}}`, "unknown node `train.step` in `tags` of the workflows `flows/*.yaml`", ""},
		{`{"**/*.yaml": {tags: {trian: gpu}}}`, "", ""}, // a file with errors may have it
		{`{"broken/*.yaml": {tags: {trian: gpu}}}`, "", ""},
		{`{"other/*.yaml": {tags: {train: gpu}}}`, "unknown node `train` in `tags` of the workflows `other/*.yaml`", ""},
		{`{"other.yaml": {tags: {train: gpu}}}`, "unknown node `train` in `tags` of the workflows `other.yaml`", ""},
		{`{"flows/a.yaml": {tags: {trian: gpu}}}`, "", ""}, // the compilation of the file reports it
	} {
		c, findings := config.Parse(source.NewFile("wfc.yaml", []byte("workflows: "+tt.config)))
		if len(findings) > 0 {
			t.Fatal(findings[0].Message)
		}
		c.Dir = "/p"
		found, help := "", ""
		for _, d := range c.UnknownNodes(flows) {
			found, help = found+d.Message, help+strings.Join(d.Help, " ")
		}
		if found != tt.finding || help != tt.help {
			t.Errorf("%s: %s %s", tt.config, found, help)
		}
	}
}
