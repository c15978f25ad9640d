package recording

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestDraw(t *testing.T) {
	session := []Line{{"wfc check", true}, {"error[WFC203]: <a> & \"b\"", false}, {strings.Repeat("x", columns+1), false}}
	for range rows {
		session = append(session, Line{"✓ step", false})
	}
	svg := Draw("wfc", "A check.", session)
	if svg != Draw("wfc", "A check.", session) {
		t.Error("two pictures of one session differ")
	}
	var texts []string
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "text" {
			var text string
			if err := decoder.DecodeElement(&text, &start); err != nil {
				t.Fatal(err)
			}
			texts = append(texts, text)
		}
	}
	if want := "$ wfc check"; texts[0] != want {
		t.Errorf("the first line is %q, want %q", texts[0], want)
	}
	if texts[1] != session[1].Text {
		t.Errorf("the second line is %q", texts[1])
	}
	if len(texts[2]) != columns || texts[3] != "x" {
		t.Errorf("a long line is not wrapped: %q, %q", texts[2], texts[3])
	}
	if want := "translateY(-72px)"; !strings.Contains(svg, want) {
		t.Errorf("the screen does not scroll by %s", want)
	}
}
