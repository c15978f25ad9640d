//go:build unix

package attacks

import (
	"strconv"
	"strings"

	"pgregory.net/rapid"
)

// A drawer draws texts of one format.
type drawer struct {
	*rapid.T
	// ifs and loops say which statements the format has, and looped that a loop is around.
	ifs, loops, looped bool
	// number makes names different.
	number int
}

func (d *drawer) upTo(most int) int { return rapid.IntRange(0, most).Draw(d.T, "number") }

func (d *drawer) pick(list ...string) string { return rapid.SampledFrom(list).Draw(d.T, "one of") }

// hole draws a hole of a string.
func (d *drawer) hole() text {
	if d.looped {
		return same(d.pick("«v»", "«i»", "«i»"))
	}
	return same(d.pick("«v»", "«v»", "«w»"))
}

// literal draws a text that does not continue a reference before it.
func (d *drawer) literal() text { return same(d.pick("", ": a", ", b ", " c", " - d:")) }

// same is a text that means itself.
func same(notation string) text { return text{notation, notation} }

// join puts texts behind each other.
func join(list ...text) (all text) {
	for _, t := range list {
		all.source, all.want = all.source+t.source, all.want+t.want
	}
	return all
}

// in puts a text into a form, in place of ① in both of its parts.
func (t text) in(source, want string) text {
	return text{strings.ReplaceAll(source, "①", t.source), strings.ReplaceAll(want, "①", t.want)}
}

// in2 is in with a second text, in place of ②.
func in2(a, b text, source, want string) text {
	return text{strings.NewReplacer("①", a.source, "②", b.source).Replace(source), strings.NewReplacer("①", a.want, "②", b.want).Replace(want)}
}

// branch puts a text, or two, into statements of the format, if it has them. end follows
// each tag in the source.
func (d *drawer) branch(end string, draw func() text) text {
	one := draw()
	switch d.upTo(4) {
	case 0:
		if d.ifs {
			return in2(one, draw(), "⟨if⟩"+end+"①⟨else⟩"+end+"②⟨endif⟩"+end, "⟨if⟩①⟨else⟩②⟨endif⟩")
		}
	case 1:
		if d.loops && !d.looped {
			d.looped = true
			one = draw().in("⟨for⟩"+end+"①⟨endfor⟩"+end, "⟨for⟩①⟨endfor⟩")
			d.looped = false
		}
	}
	return one
}

// lines draws a script of statements.
func (d *drawer) lines(statement func() text) (all text) {
	for range 2 + d.upTo(4) {
		all = join(all, d.branch("\n", statement))
	}
	return all
}

// prompt draws a prompt.
func (d *drawer) prompt() text {
	all := same("Go on")
	for range 1 + d.upTo(3) {
		all = join(all, d.branch("", func() text {
			return join(same(d.pick(" ", ": \"", " '", " {x} ", " 100% ", "\n- ", " \\\\")), d.hole(), same(d.pick(",", " of it", "\" ", "' \\", "\n")), d.literal())
		}), same("."))
	}
	return all
}

// The commands of bash that are drawn print each value with a bar behind it.

// word draws a word among the arguments of a command.
func (d *drawer) word(depth int) text {
	kind := d.upTo(9)
	if depth <= 0 {
		kind %= 5
	}
	switch kind {
	case 0:
		return d.hole()
	case 1:
		return join(d.literal(), d.hole(), d.literal()).in(`"①"`, "①")
	case 2:
		return join(d.literal(), d.hole()).in(`'①'\'`, "①'")
	case 3:
		// In "$(… ${x:-$'…'})" bash reads what an escape means once more.
		return d.hole().in(`$'_①\101'`, "_①A")
	case 4:
		return d.hole().in(`\\①\"`, `\①"`)
	case 5:
		return d.quoted(depth-1).in(`"①"`, "①")
	case 6:
		return d.word(depth-1).in(`${unset:-①}`, "①")
	case 7:
		return join(d.word(depth-1), d.word(depth-1))
	case 8:
		return d.word(depth-1).in(`"$(printf '%s.' ①)"`, "①.")
	}
	return d.document(depth-1).in("\"$(①)\"", "①").trimmed()
}

// quoted draws text inside double quotes or a here-document.
func (d *drawer) quoted(depth int) text {
	kind := d.upTo(8)
	if depth <= 0 {
		kind %= 5
	}
	switch kind {
	case 0:
		return d.hole()
	case 1:
		return join(d.literal(), d.hole()).in("'①'", "'①'")
	case 2:
		return d.hole().in(`\\①\$a`, `\①$a`)
	case 3:
		return d.hole().in("$x①$:", "X①$:") // bash reads $' as the start of a quotation
	case 4:
		return d.branch("", func() text { return join(d.literal(), d.hole(), d.literal()) })
	case 5:
		return d.quoted(depth-1).in("${unset:-①}", "①")
	case 6:
		return join(d.quoted(depth-1), d.quoted(depth-1))
	case 7:
		return d.word(depth-1).in(`$(printf '%s.' ①)`, "①.")
	}
	return d.hole().in("`printf '%s.' \"①\"`", "①.")
}

// document draws a command with a here-document.
func (d *drawer) document(depth int) text {
	d.number++
	end := "END" + strconv.Itoa(d.number) // one inside another needs its own
	in := join(d.quoted(depth), same("."))
	switch d.upTo(2) {
	case 0:
		return in.in("cat <<"+end+"\n①\n"+end+"\n", "①\n")
	case 1:
		return in.in("cat <<-"+end+"\n\t①\n\t"+end+"\n", "①\n")
	}
	return join(d.hole(), d.literal()).in("cat <<'"+end+"'\n$x `y` \\① \\\n"+end+"\n", "$x `y` \\① \\\n")
}

// trimmed is what a command substitution leaves of a text that ends in one line break.
func (t text) trimmed() text { return text{t.source, strings.TrimSuffix(t.want, "\n")} }

// command draws a line of bash.
func (d *drawer) command() text {
	word := func() text { return d.word(3) }
	inside := func() text { return d.quoted(2).in(`"①"`, "①") }
	form := func(source, want string) text { return in2(word(), inside(), source+"\n", want) }
	switch d.upTo(23) {
	case 0:
		return d.document(2)
	case 1:
		return form(`y=①; z="$y"; printf '%s|' "$z" ②`, "①|②|")
	case 2:
		return form(`cat <<<②`, "②\n")
	case 3:
		return d.hole().in("case ① in \"\"|①) printf 'same|';; *) printf 'other|';; esac\n", "same|")
	case 4:
		return d.hole().in("case x in ①) printf 'same|';; *) printf 'other|' ;; esac # ①\n", "other|")
	case 5:
		return form(`a=(① "b" ②); a+=(①); printf '%s|' "${a[@]}"`, "①|b|②|①|")
	case 6:
		return form(`declare -A m; m[k]=①; m["l"]=②; printf '%s|' "${m[k]}" "${m[l]}"`, "①|②|")
	case 7:
		return form(`f() { local y=②; printf '%s|' "$1" "$y"; }; f ①`, "①|②|")
	case 8:
		return form(`f() {`+"\n\tprintf '%s|' \"$@\" ① # «v»\n}\nf ②", "②|①|")
	case 9:
		return form(`if [ ① = ① ] && [[ ② == ② ]]; then printf 'same|'; fi`, "same|")
	case 10:
		return in2(d.hole(), join(d.literal(), d.hole()), "# ① '②' «n»\n: # \"②\"\n", "")
	case 11:
		return form(`(printf '%s|' ①) | cat; { printf '%s|' ②; } & wait`, "①|②|")
	case 12:
		return form(`printf '%s\0' ① ② | while IFS= read -r -d '' y; do printf '%s|' "$y"; done`, "①|②|")
	case 13:
		return in2(inside(), inside(), `for y in "x"① ②; do printf '%s|' "$y"; done`+"\n", "x①|②|")
	case 14:
		return form(`X=① bash -c 'printf "%s|" "$X" "$1"' _ ②`, "①|②|")
	case 15:
		return form(`printf -v y '%s' ①; set -- "$y" ②; printf '%s|' "$@"`, "①|②|")
	case 16:
		return form(`export Y=①; printenv Y; unset Y; until true; do printf ②; done`, "①\n")
	case 17:
		return form(`awk 'BEGIN { printf "%s|", ENVIRON["Z"] }' ②`, "|")
	case 18:
		return same("").in("echo $(( «n» - «n» + 2 )) $((3+(«n»>1)))\n", "2 4\n")
	case 19:
		return same("").in("a=(p q); printf '%s|' \"${a[«n»-«n»]}\"; let 'k=«n»-«n»' || printf \"$k|\"\n", "p|0|")
	case 20:
		return same("").in("if (( «n» > 1 )) && [[ «n» -gt 2 ]] && [ «n» -ge 3 ]; then y=abc; printf '%s|' \"${y:«n»-«n»+1}\"; fi\n", "bc|")
	case 21:
		return same("").in("for (( k=«n»; k < «n»+2; k++ )); do printf '%s|' $(( k - «n» )); done\n", "0|1|")
	case 22:
		return d.hole().in("y=\"x①\"; printf '%s|' \"${y#\"x①\"}\" \"${y%%①}\" \"${y/#x/}\"\n", "|x|①|")
	}
	return form(`printf '%s|' \`+"\n  ① ②", "①|②|")
}

// padding makes a script longer than what wfc gives to an interpreter as an argument.
func padding(language string) string {
	comment := "# "
	if language == "bun" {
		comment = "// "
	}
	return strings.Repeat(comment+strings.Repeat("long ", 20)+"\n", 1100)
}

// draw draws a script of a language, which ends with a full stop, or a prompt.
func (d *drawer) draw(language string) text {
	switch language {
	case "bash":
		return join(text{"x=X\n", ""}, d.lines(d.command), text{"printf .\n", "."})
	case "python", "uv":
		return join(text{pythonHead, ""}, d.lines(d.pythonLine), text{"sys.stdout.write('.')\n", "."})
	case "bun":
		return join(text{javascriptHead, ""}, d.lines(d.javascriptLine), text{"process.stdout.write('.')\n", "."})
	}
	return d.prompt()
}
