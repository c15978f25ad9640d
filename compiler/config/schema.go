package config

import (
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/keys"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Schema returns the JSON Schema (draft 2020-12) of wfc.yaml, made from the tables by which
// Parse reads it. It refuses unknown keys, which Parse reports as errors.
func Schema() []byte { return format().Schema(true) }

// format is the format of wfc.yaml.
func format() keys.Format {
	d := &decoder{config: &Config{}}
	table := func(l decode.Level, list []key) decode.Table {
		t := decode.Table{Level: l}
		for _, k := range list {
			t.Keys = append(t.Keys, k.Key)
		}
		return t
	}
	top, workflow, shape := d.keys(), d.workflowKeys(new(rule)), withCodes(someLevels)
	for _, list := range [][]key{top, workflow} {
		for i := range list {
			if list[i].Name == "severities" {
				list[i].Shape = shape
			}
		}
	}
	return keys.Format{Name: "config", Title: FileName, Typed: true, Tables: []decode.Table{
		table(rootLevel, top),
		table(agentLevel, d.agentKeys(new(settings.Agent), new([]string))),
		table(priceLevel, d.priceKeys(new(settings.Price))),
		table(modelLevel, d.modelKeys(new(settings.Model), new(*yamlsrc.Node))),
		table(archonLevel, d.archonKeys()),
		table(deliveryLevel, d.deliveryKeys()),
		table(channelLevel, d.channelKeys(new(settings.Channel))),
		table(environmentLevel, d.environmentKeys()),
		table(limitsLevel, d.limitKeys()),
		table(interruptLevel, d.interruptKeys(new(settings.Interrupts))),
		table(programLevel, d.programKeys(new(settings.Program))),
		table(workflowLevel, workflow),
	}}
}
