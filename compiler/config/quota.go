package config

import (
	"strconv"
	"time"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// spanPattern is the form of a time span in wfc.yaml: a number of minutes, hours or days.
const spanPattern = `^[1-9][0-9]{0,4}[mhd]$`

// quotaReader reads a policy: its name, or a mapping with a wait or an agent.
func (d *decoder) quotaReader(q *settings.Quota) func(setting string, n *yamlsrc.Node) {
	return func(setting string, n *yamlsrc.Node) {
		if n.Kind != yamlsrc.Mapping {
			q.Policy = oneOf(d.reader, quotaPolicies...)(setting, n)
			return
		}
		d.readSection(setting, n, d.quotaKeys(q))
		switch {
		case q.Use != "":
			q.Policy = settings.QuotaUse
		case q.MaxWait > 0:
			q.Policy = settings.QuotaWait
		case len(n.Pairs) == 0:
			d.reportWrong(setting, n, "a mapping with `wait` or `use`")
		}
	}
}

func (d *decoder) quotaKeys(q *settings.Quota) []key {
	return []key{
		newSetting("use", someText, "Agent that answers instead. It starts a new session, and the run says that it answered.", func(setting string, n *yamlsrc.Node) {
			if name := d.readText(setting, n); name != "" {
				q.Use = name
				d.later = append(d.later, func() { d.readChoice(setting, n, d.agentNames()) })
			}
		}).withExamples(`"codex"`),
		newSetting("wait", decode.String.Matching(spanPattern), "Longest wait of one prompt. With `use`, the run waits once the other agent's quota is used up, too.", readInto(&q.MaxWait, d.readSpan)).withExamples(`"12h"`, `"7d"`),
		newSetting("first_wait", decode.String.Matching(spanPattern), "First wait if the time of the reset is unknown. Each further one is twice as long, up to an hour.", readInto(&q.FirstWait, d.readSpan)).withDefault(`"5m"`),
		newSetting("max_waits", someCount, "Maximum number of waits of one prompt.", readInto(&q.MaxWaits, countReader[int](d.reader))).withExamples("3"),
	}
}

// readSpan reads a time span, or returns 0.
func (d *decoder) readSpan(setting string, n *yamlsrc.Node) time.Duration {
	units := map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}
	if text := n.Value; n.Kind == yamlsrc.Scalar && len(text) > 1 && len(text) <= 6 {
		count, err := strconv.ParseUint(text[:len(text)-1], 10, 16)
		if unit := units[text[len(text)-1]]; err == nil && count > 0 && unit > 0 {
			return time.Duration(count) * unit
		}
	}
	d.reportWrong(setting, n, "a time span such as `90m`, `12h` or `7d`")
	return 0
}

// readConcurrency reads how many turns of agents may take place at the same time.
func (d *decoder) readConcurrency(setting string, n *yamlsrc.Node) {
	for pair := range d.mappingPairs(setting, n) {
		d.later = append(d.later, func() { d.readChoice(joinSetting(setting, pair.Key.Value), pair.Key, d.agentNames()) })
		if most := countReader[int](d.reader)(joinSetting(setting, pair.Key.Value), pair.Value); most > 0 {
			plain.PutEntry(&d.config.settings.Concurrency, pair.Key.Value, most)
		}
	}
}
