package config

import (
	"strings"
	"testing"
)

func TestDatabase(t *testing.T) {
	for _, test := range []struct{ text, want, fault string }{
		{"postgres://ann@db.example:5432/wfc?sslmode=require", "postgres://ann@db.example:5432/wfc?sslmode=require", ""},
		{"postgresql:///wfc?host=/run/postgresql", "postgresql:///wfc?host=/run/postgresql", ""},
		{"postgres://ann:hush-hush@db/wfc", "", "without a password"},
		{"postgres://ann@db/wfc?password=hush-hush", "", "without a password"},
		{"postgres://ann:hush%hush@db/wfc", "", "a URL such as"},
		{"'postgres://ann:12#hush@db/wfc'", "", "a URL such as"},
		{"postgres://ann:12/hush@db/wfc", "", "a URL such as"},
		{"postgres://ann:12?hush@db/wfc", "", "a URL such as"},
		{"postgres://ann:12?password=3/hush@db/wfc", "", "a URL without a password"},
		{"postgres://ann@db/wfc?pass%77ord=hush", "", "a URL without a password"},
		{"mysql://db/wfc", "", "a URL such as"},
		{"postgres:wfc", "", "a URL such as"},
		{"[a]", "", "a string"},
	} {
		c, faults := parse(t, "store: postgres\ndatabase: "+test.text+"\n")
		if c.settings.Database != test.want || c.settings.Store != "postgres" {
			t.Errorf("%s: database %q, store %q", test.text, c.settings.Database, c.settings.Store)
		}
		text := strings.Join(faults, "\n")
		if (test.fault == "") != (text == "") || !strings.Contains(text, test.fault) || strings.Contains(text, "hush") {
			t.Errorf("%s: findings %q, want %q", test.text, text, test.fault)
		}
	}
}
