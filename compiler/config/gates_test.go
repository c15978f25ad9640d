package config_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/runtime/settings"
)

func TestGateRules(t *testing.T) {
	c, findings := config.Parse(source.NewFile("wfc.yaml", []byte(`gates:
  mode: token
  nodes:
    publish: {role: release, approvals: 2, not_starter: true}
    ship/gate: {approvals: 3}
    trial: {not_starter: false}
`)))
	if len(findings) > 0 {
		t.Fatal(findings[0])
	}
	got := c.Settings("/p")
	want := map[string]settings.GateRule{"publish": {Role: "release", Approvals: 2, NotStarter: true}, "ship/gate": {Approvals: 3}, "trial": {}}
	if got.Gates.Mode != settings.GatesToken || !reflect.DeepEqual(got.Gates.Nodes, want) {
		t.Errorf("%s, %+v", got.Gates.Mode, got.Gates.Nodes)
	}
	// A rule for a node that no workflow has would guard nothing.
	unknown := c.UnknownNodes(map[string][]string{"/p/ship.yaml": {"publish", "gates", "trial"}})
	if len(unknown) != 1 || unknown[0].Message != "unknown node `gate` in `gates.nodes`" {
		t.Errorf("%v", unknown)
	}
	for text, want := range map[string]string{
		"gates: {mode: tokens}":                       "`gates.mode` must be one of any, terminal, token",
		"gates: {nodes: {a: {approvals: 0}}}":         "`gates.nodes.a.approvals`",
		"gates: {nodes: {a: {role: 'x y'}}}":          "`gates.nodes.a.role`",
		"gates: {nodes: {a: {not_starter: 'maybe'}}}": "`gates.nodes.a.not_starter`",
		"gates: {nodes: {a: {aprovals: 2}}}":          "aprovals",
		"gates: {nodes: [a]}":                         "`gates.nodes`",
		"gates: {rules: {}}":                          "rules",
	} {
		if _, findings := config.Parse(source.NewFile("wfc.yaml", []byte(text))); len(findings) != 1 || !strings.Contains(findings[0].Message, want) {
			t.Errorf("%s: %v", text, findings)
		}
	}
}
