package cron_test

import (
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/cron"
)

func ExampleParse() {
	s, findings := cron.Parse("CRON_TZ=UTC 30 9 * * MON-FRI")
	if s == nil {
		fmt.Println(findings[0])
		return
	}
	fmt.Println(s.Describe())
	friday := time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	times, err := s.Next(friday, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, at := range times {
		fmt.Println(at.Format("Mon 2006-01-02 15:04"))
	}
	// Output:
	// at 09:30 on Monday to Friday (UTC)
	// Mon 2026-11-23 09:30
	// Tue 2026-11-24 09:30
}

// A finding names the bytes of the expression that it is about.
func ExampleParse_fault() {
	text := "60 9 * * *"
	_, findings := cron.Parse(text)
	for _, f := range findings {
		fmt.Printf("%q: %s\n", text[f.Start:f.End], f.Message)
	}
	// Output: "60": invalid minute `60`
}
