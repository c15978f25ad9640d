package shell

import (
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"github.com/wfc-lang/wfc/compiler/source"
)

// TestArithmetic runs scripts that calculate with a whole number, and checks that
// it is demanded: of a value that is in arithmetic itself before the script starts,
// of others by a guard.
func TestArithmetic(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{`printf %s $(( $a.output + 1 ))`, "7 -2"},
		{`printf %s "$(( $a.output+1 ))"`, "7 -2"},
		{`printf %s $((10-$a.output))`, "4 13"},
		{`printf %s $((-$a.output))`, "-6 3"},
		{`printf %s $[ $a.output * 2 ]`, "12 -6"},
		{`(( x = $a.output * 2 )); printf %s $x`, "12 -6"},
		{`(( $a.output > 0 )) && printf yes || printf no`, "yes no"},
		{`let x=$a.output+1; printf %s $x`, "7 -2"},
		{`let "x = 1-$a.output"; printf %s $x`, "-5 4"},
		{`let 'x = 1-$a.output'; printf %s $x`, "-5 4"},
		{`[[ $a.output -eq 6 ]] && printf yes || printf no`, "yes no"},
		{`[[ 6 -eq "$a.output" ]] && printf yes || printf no`, "yes no"},
		{`x=(a b c d e f g h); printf %s ${x[$a.output]}`, "g f"},
		{`x=(a b c d e f g h); x[$a.output]=Z; printf %s "${x[$a.output]}"`, "Z Z"},
		{`x=([$((8 + $a.output))]=Z); printf %s "${!x[@]}"`, "14 5"},
		{`x=0123456789; printf %s "${x:$a.output}" "${x: $a.output:1}"`, "67896 7897"},
		{`declare -i x=$a.output+1; printf %s $x`, "7 -2"},
		{`declare -i x; x=$a.output; x+=1; printf %s $x`, "7 -2"},
		{`for ((i = 0; i < $a.output; i++)); do printf x; done`, "xxxxxx "},
		{`n=$a.output; printf %s $((n * 2))`, "12 -6"},
		{`n="$a.output"; m=$n; printf %s $(($m * 2))`, "12 -6"},
		{`n=$(echo $a.output); (( n > 0 )) && printf yes || printf no`, "yes no"},
		{`f() { (( $1 > 0 )) && printf yes || printf no; }; f $a.output`, "yes no"},
		{`n=$a.output; [[ n -gt 0 ]] && printf yes || printf no`, "yes no"},
		{`read -r n <<< "$a.output"; printf %s $((n + 1))`, "7 -2"},
		{`for n in $a.output; do printf %s $((n + 1)); done`, "7 -2"},
		{"cat <<EOF | tr -d '\\n'\n$(( $a.output+1 ))\nEOF\n", "7 -2"},
		{"printf %s `expr 1 + $(( $a.output ))`", "7 -2"},
		{`x=abcdefghij; i=$a.output; printf %s "${x:i:1}"`, "g h"},
	} {
		script := mustRewrite(t, c.script)
		guards := strings.Contains(script.Text, "__wfc_")
		if len(script.Bindings) != 1 || script.Bindings[0].Integer == guards {
			t.Errorf("%s: bindings %+v, want either a whole number or a guard\n%s", c.script, script.Bindings, script.Text)
			continue
		}
		var got []string
		for _, r := range runAll(t, script, []string{"6", "-3"}) {
			got = append(got, r.stdout)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %q, want %q\n%s", c.script, got, c.want, script.Text)
		}
	}
}

// TestNoInteger checks that text which arithmetic never sees is not held to be
// a number.
func TestNoInteger(t *testing.T) {
	for _, src := range []string{
		`[ $a.output -gt 3 ]`,
		`test "$a.output" -gt 3`,
		`x=$(wc -c <<< $a.output); (( x > 3 ))`,
		`declare -A m; m[$a.output]=1; echo "${m[$a.output]}"`,
		`echo $(( $(wc -c <<< $a.output) + 1 ))`,
		`(( x = 5 )); x=$a.output`,
		`echo ${#x} $a.output; y=$a.output; (( ${#y} > 3 ))`,
	} {
		script := mustRewrite(t, src)
		if strings.Contains(script.Text, "__wfc_") {
			t.Errorf("%s: a guard that is not needed: %s", src, script.Text)
		}
		for _, b := range script.Bindings {
			if b.Integer {
				t.Errorf("%s: %s must be an integer, want any text", src, b.Name)
			}
		}
	}
}

func TestBindings(t *testing.T) {
	src := `echo $a.output $b.output.kind "$a.output" # $c.output` + "\n" + `a_output=1; HOME=$HOME.output`
	holes := append(findHoles(src), Hole{Start: 0, End: 4, Name: "HOME", Label: "echo"})
	holes = slices.DeleteFunc(holes, func(h Hole) bool { return h.Label == "echo" })
	script, _ := rewriteText(src)
	if script == nil {
		t.Fatal("refused")
	}
	want := "echo \"${a_output_2}\" \"${b_output_kind}\" \"${a_output_2}\" # $c.output\na_output=1; HOME=$HOME.output"
	if script.Text != want {
		t.Errorf("got  %s\nwant %s", script.Text, want)
	}
	if len(script.Bindings) != 2 || script.Bindings[0].Hole != 0 || script.Bindings[1].Hole != 1 || holes[1].Label != "$b.output.kind" {
		t.Errorf("bindings %+v", script.Bindings)
	}
}

// TestSigns checks that a negative number cannot make an operator of the sign
// before it: bash 5 reads 10--3 as intended, other versions need not.
func TestSigns(t *testing.T) {
	got := mustRewrite(t, `echo $((10-$a.output)) $((10 - $a.output)) $((1+$a.output))`).Text
	if want := `echo $((10- ${a_output})) $((10 - ${a_output})) $((1+ ${a_output}))`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestVerify tampers with rewritten scripts: each must be distrusted.
func TestVerify(t *testing.T) {
	src := "echo $a.output"
	for text, trusted := range map[string]bool{
		`echo "${a_output}"`: true, `echo ${a_output}`: false, `echo x`: false, `echo '${a_output}'`: false,
		`echo "${a_output}${a_output}"`: false, `echo "${a_output}`: false, `echo # "${a_output}"`: false,
		`echo @("${a_output}")`: true, `echo @(${a_output})`: false,
	} {
		s := newScript(NewRewriter(DefaultOptions()), source.PlainText(src), findHoles(src))
		s.analyseHoles()
		w := writer{s}
		out, _ := w.rewriteHoles()
		out.Text = text
		before := len(s.found)
		w.verifyRewrite(out)
		if (len(s.found) == before) != trusted {
			t.Errorf("%s: trusted is %v, want %v", text, !trusted, trusted)
		}
	}
}

func TestUnread(t *testing.T) {
	src := "# $a.output\necho $b.output \\$c.output '# $d.output' # $e.output\n"
	if got, want := Unread(source.PlainText(src), findHoles(src)), []bool{true, false, true, false, true}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	src = "# $a.output\nif $b.output"
	if got := Unread(source.PlainText(src), findHoles(src)); slices.Contains(got, true) {
		t.Errorf("of a script that is no bash: %v", got)
	}
}

func TestNames(t *testing.T) {
	for suggestion, want := range map[string]string{
		"node_output": "node_output", "my-node.output": "my_node_output", "": "v_", "1x": "v_1x",
		"PATH": "v_PATH", "_": "v_", "http_proxy": "v_http_proxy", "é": "v_", "x y": "x_y", "used": "used_2",
	} {
		if got := bind.NewNames("echo used").Take(validName(suggestion)); got != want || !isName(got) {
			t.Errorf("%q becomes %q, want %q", suggestion, got, want)
		}
	}
}
