package config

import (
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/shell"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// programs reads where the project's programs run text that bash scripts give
// them.
func (d *decoder) programs(setting string, n *yamlsrc.Node) {
	for pair := range d.pairs(setting, n) {
		name := pair.Key.Value
		full := join(setting, name)
		if name == "" || strings.ContainsAny(name, "/ \t\n") {
			d.wrong(full, pair.Key, "the name of a program, without a folder")
			continue
		}
		var p shell.Program
		d.section(full, pair.Value, []key{
			{"runs", func(d *decoder, setting string, n *yamlsrc.Node) { p.Runs = d.operands(setting, n) }},
			{"options", func(d *decoder, setting string, n *yamlsrc.Node) { p.Options = d.flags(setting, n) }},
			{"values", func(d *decoder, setting string, n *yamlsrc.Node) { p.Values = d.flags(setting, n) }},
		})
		if d.config.Programs == nil {
			d.config.Programs = map[string]shell.Program{}
		}
		d.config.Programs[name] = p
	}
}

// operands reads the numbers of a program's operands; `all` is 0.
func (d *decoder) operands(setting string, n *yamlsrc.Node) []int {
	if n.Kind == yamlsrc.Scalar && n.Value == "all" {
		return []int{0}
	}
	items := []*yamlsrc.Node{n}
	if n.Kind == yamlsrc.Sequence {
		items = n.Items
	}
	var list []int
	for _, item := range items {
		number, err := strconv.Atoi(item.Value)
		if item.Kind != yamlsrc.Scalar || err != nil || number < 1 {
			d.wrong(setting, item, "the numbers of operands, counted from 1, or `all`")
			continue
		}
		list = append(list, number)
	}
	return list
}

// flags reads names of command-line options.
func (d *decoder) flags(setting string, n *yamlsrc.Node) []string {
	items := []*yamlsrc.Node{n}
	if n.Kind == yamlsrc.Sequence {
		items = n.Items
	}
	var list []string
	for _, item := range items {
		if !item.IsString() || !strings.HasPrefix(item.Value, "-") || len(item.Value) < 2 || strings.ContainsAny(item.Value, "= \t\n") {
			d.wrong(setting, item, "options as they are written, such as --hook or -e")
			continue
		}
		list = append(list, item.Value)
	}
	return list
}
