package acp

import (
	"fmt"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/internal/agent/program"
)

// denials are the requests of a turn that were denied.
type denials struct {
	mu   sync.Mutex
	list []string
	// needed is the permission that would allow them all.
	needed policy
}

func (d *denials) add(what string, needed policy) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list = plain.AddNew(d.list, what)
	d.needed = max(d.needed, needed)
}

// mostDenials is how many denied requests are named.
const mostDenials = 3

// describe names the denied requests, and the way to permit them to an agent; "" if there
// are none.
func (d *denials) describe(agent string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	seen, more := d.list, ""
	if len(seen) == 0 {
		return ""
	}
	if len(seen) > mostDenials {
		seen, more = seen[:mostDenials], fmt.Sprintf(" and %d more", len(seen)-mostDenials)
	}
	name := map[policy]string{mayEdit: program.Edit, mayAll: program.All}[d.needed]
	return fmt.Sprintf("%s%s. Set `permission: %s` of agent `%s` in wfc.yaml", strings.Join(seen, ", "), more, name, agent)
}
