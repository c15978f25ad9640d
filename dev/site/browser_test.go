package site

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestBrowser searches in a browser that opens pages as files. WFC_TEST_CHROMIUM is the
// browser.
func TestBrowser(t *testing.T) {
	browser := os.Getenv("WFC_TEST_CHROMIUM")
	if browser == "" {
		t.Skip("needs WFC_TEST_CHROMIUM, the path of Chromium; `make test-site` sets it")
	}
	out := build(t)
	for _, test := range []struct{ page, query, first, link string }{
		{"index.html", "resume", "Resume", "docs/guide/resuming.html#resume"},
		{"docs/guide/agents.html", "WFC203", "WFC203 unknown-node", "../../docs/checks.html#wfc203-unknown-node"},
		{"docs/guide/answering.html", "timeout of a gate", "", ""},
		{"examples/triage/triage.yaml.html", "glossary", "Glossary", "../../docs/glossary.html"},
		{"docs/index.html", "xyzzy-nothing", "", ""},
	} {
		address := url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(out, filepath.FromSlash(test.page))), RawQuery: "q=" + url.QueryEscape(test.query)}
		cmd := exec.Command(browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--user-data-dir="+filepath.Join(t.TempDir(), "profile"), "--dump-dom", address.String())
		dom, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		results := regexp.MustCompile(`(?s)class="results".*?</form>`).FindString(string(dom))
		t.Logf("%s: %.300s", test.query, results)
		if strings.Contains(test.query, "nothing") {
			if !strings.Contains(results, "Nothing found.") {
				t.Errorf("%s: the results are %.300s", test.query, results)
			}
			continue
		}
		if want := `<a href="` + test.link; !strings.Contains(results, "<mark>") || !strings.Contains(results[:min(len(results), 200)], want) || !strings.Contains(results, test.first+"</b>") {
			t.Errorf("%s: the results are %.300s, want first %s", test.query, results, test.link)
		}
	}
}
