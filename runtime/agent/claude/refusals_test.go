package claude_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/agent/refusals"
)

// Recorded refusals are quotas, outages or failures, with the reset that they name.
func TestRefusals(t *testing.T) {
	for _, r := range refusals.Of(t, "claude") {
		lines := []string{begin}
		if r.Resets != 0 {
			lines = append(lines, fmt.Sprintf(`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":%d,"rateLimitType":"five_hour"}}`, r.Resets))
		}
		if r.Kind != "" {
			lines = append(lines, refused(r.Kind, "x"))
		}
		text, err := json.Marshal(r.Text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = converse(t, prints(t, "1", append(lines, result("success", true, `,"result":`+string(text)))...)).ask()
		r.Check(t, err)
	}
}
