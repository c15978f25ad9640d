package config

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/settings"
)

var (
	gatesLevel    = newLevel("under `gates:`")
	gateRuleLevel = newLevel("in the rule of a gate")
	gateModes     = []settings.Gates{settings.GatesAny, settings.GatesTerminal, settings.GatesToken}
)

// readGates reads a mode, or a mode and rules for single gates.
func (d *decoder) readGates(setting string, n *yamlsrc.Node) {
	p := &d.config.settings
	if n.Kind != yamlsrc.Mapping {
		p.Gates.Mode = oneOf(d.reader, gateModes...)(setting, n)
		return
	}
	d.readSection(setting, n, d.gatesKeys(p))
}

func (d *decoder) gatesKeys(p *settings.Project) []key {
	return []key{
		newSetting("mode", decode.OneOf(plain.Strings(gateModes)...), "As `gates` alone.", readInto(&p.Gates.Mode, oneOf(d.reader, gateModes...))).withDefault(`"any"`),
		newSetting("nodes", decode.MapOf(decode.Object(&gateRuleLevel).OrNull()).OrNull(), "Rules by NODE or WORKFLOW/NODE.", func(setting string, n *yamlsrc.Node) {
			for pair := range d.mappingPairs(setting, n) {
				var rule settings.GateRule
				name := pair.Key.Value
				d.config.nodes = append(d.config.nodes, nodeName{setting, name[strings.LastIndexByte(name, '/')+1:], pair.Key.Span})
				d.readSection(joinSetting(setting, name), pair.Value, d.gateRuleKeys(&rule))
				plain.PutEntry(&p.Gates.Nodes, name, rule)
			}
		}).withExamples(`{"publish": {"role": "release", "approvals": 2, "not_starter": true}}`),
	}
}

func (d *decoder) gateRuleKeys(r *settings.GateRule) []key {
	return []key{
		newSetting("role", decode.String.Matching(tagPattern), "Role that people need, in place of `approver`.",
			readInto(&r.Role, d.wordReader("a role such as `release`: letters, digits, `.`, `-` and `_`", validTag))).withExamples(`"release"`),
		newSetting("approvals", someCount, "People who have to give the same answer; one may reject.", readInto(&r.Approvals, countReader[int](d.reader))).withExamples("2"),
		newSetting("not_starter", decode.Bool, "Refuse who started the run.", readInto(&r.NotStarter, d.readFlag)),
	}
}
