package signal_test

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/signal"
)

func TestFinds(t *testing.T) {
	for _, tt := range []struct {
		signal, text string
		word, strict bool
	}{
		{"DONE", "", false, false},
		{"DONE", "DONE", true, true},
		{"DONE", "all is well.\nDONE", true, true},
		{"DONE", "DONE.\n\n", true, true},
		{"DONE", "DONE, so I stop!", true, false},
		{"DONE", "not DONE yet", true, false},
		{"DONE", "done", false, false},
		{"DONE", "UNDONE", false, true},
		{"DONE", "DONE_1 and DONE2 and ÜDONE", false, true},
		{"DONE", "UNDONE, but then DONE all the same", true, false},
		{"DONE", "**DONE**", true, false},
		{"DONE", "`DONE`", true, false},
		{"DONE", "(DONE)", true, false},
		{"DONE", "first\n \t DONE \r\nlast", true, true},
		{"DONE", "first\u2028DONE\u2029last", true, true},
		{"DONE", "first DONE\nlast", true, false},
		{"DONE", "<promise>done</promise> tail", true, true},
		{"DONE", "<Answer kind='a'>\n Done\n</aNSWER> tail", true, true},
		{"DONE", "<a>done</b> tail", false, false},
		{"DONE", "<a>DONE</b> tail", true, false},
		{"DONE", "<a>done now</a>", false, false},
		{"DONE", "<ab>done</a> tail", false, false},
		{"DONE", "<a>done</ab> tail", false, false},
		{"DONE", "<1>done</1> tail", false, false},
		{"DONE", "<a <b>done</a> tail", true, true},
		{"DONE", "<a> > done</a> tail", false, false},
		{"DONE", "<a>done</a", false, false},
		{"DONE", "<a>done</a >", false, false},
		{" DONE\n", "x DONE x", true, false},
		{" DONE\n", "x\nDONE\nx", true, true},
		{"", "", false, false},
		{"  ", "  ", false, false},
		{"  ", "<a></a>", false, false},
		{"[ok]", "x[ok]y", true, false},
		{"[ok]", "x[ok]", true, true},
		{"ok!", "ok!ay", true, false},
		{"ok!", "book! it", false, false},
		{"ok!", "ok!\n", true, true},
		{"A+B(1)", "fine A+B(1)", true, true},
		{"a-a", "1a-a-a", true, true},
		{"ALL DONE", "it is ALL DONE now", true, false},
		{"ALL DONE", "it is ALL  DONE now", false, false},
		{"完成", "任务完成了", true, false},
		{"완료", "작업완료됨", false, false},
		{"ΤΈΛΟΣ", "<x>τέλος</x> tail", true, true},
		{"DONE", "\xffDONE\xff", true, false},
		{"DONE", "DONE\ufeff", true, true},
	} {
		if got := signal.Word(tt.signal).Said(tt.text); got != tt.word {
			t.Errorf("Word(%q) of %q is %v", tt.signal, tt.text, got)
		}
		if got := signal.Word(tt.signal).SaidAsArchon(tt.text); got != tt.strict {
			t.Errorf("Strict(%q) of %q is %v", tt.signal, tt.text, got)
		}
	}
}

func TestClean(t *testing.T) {
	for _, tt := range []struct{ signal, text, want string }{
		{"DONE", "", ""},
		{"DONE", " \n\ufeff it works \t\n", "it works"},
		{"DONE", "it works DONE", "it works DONE"},
		{"DONE", "it works <promise>DONE</promise>", "it works"},
		{"DONE", "<promise>DONE</promise>", ""},
		{"DONE", "a <PROMISE>any\nthing < at > all</Promise> b <promise></promise>c", "a  b c"},
		{"DONE", "a <promise>x</promise> b <promise>y", "a  b <promise>y"},
		{"DONE", "a </promise> b <promise x=1>y</promise>", "a </promise> b <promise x=1>y</promise>"},
		{"DONE", "a <promise x=1> done </promise> b", "a  b"},
		{"DONE", "a <x>DONE</x><y> done </y> b <x>DONE</y> <x>not DONE</x>", "a  b <x>DONE</y> <x>not DONE</x>"},
		{"DONE", "a <x <x>DONE</x> b", "a  b"},
		{"DONE", "<x>DONE</x></x>", "</x>"},
		{"DONE", "<x><x>DONE</x></x>", "<x></x>"},
		{"", "a <x></x> <promise>b</promise>", "a <x></x>"},
		{" DONE ", "a <x>DONE</x>", "a"},
		{"DONE", "<pro<promise></promise>mise>x</promise>", "<promise>x</promise>"},
	} {
		if got := signal.Word(tt.signal).Clean(tt.text); got != tt.want {
			t.Errorf("Clean(%q) of %q is %q, want %q", tt.signal, tt.text, got, tt.want)
		}
	}
}

// What an agent says may be long and odd. A function that came back to parts of
// such texts for each other part would take minutes for each here.
func TestLongTexts(t *testing.T) {
	const size = 256 << 10
	for _, piece := range []string{
		"<", ">", "<a", "<a ", "<a>", "<a>DONE", "<a>DONE</", "<a>DONE</b>", "DONE</a>", ">DONE</a>", ">\n\n", " ", "\n", "\n DONE x ",
		"DONE", "xDONE ", "aDONEa", "<promise>", "</promise>", "<promise", "<promise></promise>", "<p<p<p>DONE</q>", "é\u2028",
	} {
		text := strings.Repeat(piece, size/len(piece))
		for _, text := range []string{text, text + "x", "<a>" + text + "</a>", "<a " + text + ">DONE</b>"} {
			for _, s := range []string{"DONE", strings.Repeat("ab", 500)} {
				signal.Word(s).Said(text)
				signal.Word(s).SaidAsArchon(text)
				if clean := signal.Word(s).Clean(text); len(clean) > len(text) {
					t.Errorf("%q has become longer", piece)
				}
			}
		}
	}
}

func FuzzSignal(f *testing.F) {
	for _, text := range []string{"it is DONE.", "<promise>done</promise>", "a\n DONE \nb", "<x <x>DONE</x> <promise>y", "\xff完成\u2028"} {
		f.Add("DONE", text)
		f.Add("完", text)
	}
	f.Fuzz(func(t *testing.T, s, text string) {
		word, strict, clean := signal.Word(s).Said(text), signal.Word(s).SaidAsArchon(text), signal.Word(s).Clean(text)
		core := strings.TrimSpace(s)
		if core == "" && (word || strict) {
			t.Error("a signal of nothing is found")
		}
		if word && !strings.Contains(text, core) && !strings.Contains(text, "</") {
			t.Errorf("Word(%q) finds what is not in %q", s, text)
		}
		if strict && !strings.Contains(text, core) && !strings.Contains(text, "</") {
			t.Errorf("Strict(%q) finds what is not in %q", s, text)
		}
		if !strings.Contains(text, "</") && !strings.Contains(text, clean) {
			t.Errorf("Clean(%q) of %q is %q", s, text, clean)
		}
		if tag := "<t>" + s + "</t>"; core != "" && !strings.ContainsAny(s, "\u0085\ufeff") && !signal.Word(s).Said(text+tag) {
			t.Errorf("Word(%q) does not find %q behind %q", s, tag, text)
		}
	})
}
