package program

import (
	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"github.com/wfc-lang/wfc/compiler/source"
)

// mostForms is the maximum number of forms of a program that are analysed. If there
// are more combinations of branches, the forms still contain each branch at least
// once.
const mostForms = 64

// A choice is the part of a statement that a form contains.
type choice struct {
	of    *statement
	index int
}

// enumerateForms returns the forms of a template that has statements. complete says that
// each piece is in one of them.
func (l *layout) enumerateForms() (list []*bind.Form, complete bool) {
	if n := countCombinations(l.block); n <= mostForms {
		for i := range n {
			list = append(list, l.buildForm(combinationChooser(i)))
		}
		return list, true
	}
	taken := map[choice]bool{}
	for n := range 2 * mostForms {
		at := n
		list = append(list, l.buildForm(func(s *statement) int {
			k := firstUntakenChoice(s, taken)
			if k < 0 {
				// Whatever is new is to meet the others' choices, too.
				at++
				k = at % len(s.choices)
			}
			taken[choice{s, k}] = true
			return k
		}))
		if !anyFresh(l.block, taken) {
			return list, true
		}
	}
	return list, false
}

// countCombinations counts the combinations of branches, as long as they are few.
func countCombinations(block []item) int {
	n := 1
	for _, i := range block {
		if s, ok := i.(*statement); ok {
			sum := 0
			for _, c := range s.choices {
				sum += countCombinations(c)
			}
			if n *= sum; n > mostForms {
				return mostForms + 1
			}
		}
	}
	return n
}

// combinationChooser returns the choices of the combination with the given number.
func combinationChooser(number int) func(*statement) int {
	return func(s *statement) int {
		// The number is divided by the choices of one statement after another; the
		// quotient counts the combinations of the statements after it.
		sum := 0
		for _, c := range s.choices {
			sum += countCombinations(c)
		}
		mine := number % sum
		number /= sum
		for k, c := range s.choices {
			if n := countCombinations(c); mine >= n {
				mine -= n
				continue
			}
			number = number*countCombinations(s.choices[k]) + mine
			return k
		}
		return 0
	}
}

// firstUntakenChoice returns the first choice of a statement in which something was not taken
// yet, or -1.
func firstUntakenChoice(s *statement, taken map[choice]bool) int {
	for k, c := range s.choices {
		if !taken[choice{s, k}] || anyFresh(c, taken) {
			return k
		}
	}
	return -1
}

func anyFresh(block []item, taken map[choice]bool) bool {
	for _, i := range block {
		if s, ok := i.(*statement); ok && firstUntakenChoice(s, taken) >= 0 {
			return true
		}
	}
	return false
}

// former puts a form together.
type former struct {
	form  *bind.Form
	texts []source.Text
	at    int
	hole  func(number, at int) bind.Hole
	// repeated says that a body around the present place comes twice.
	repeated bool
}

func (l *layout) buildForm(choose func(*statement) int) *bind.Form {
	f := &former{form: &bind.Form{}, hole: l.holeAtOffset}
	f.addBlock(l.block, choose)
	f.form.Text = source.Join(f.texts...)
	return f.form
}

func (f *former) addBlock(block []item, choose func(*statement) int) {
	for _, i := range block {
		switch i := i.(type) {
		case *piece:
			end := f.at + len(i.text.Value)
			f.form.Pieces = append(f.form.Pieces, bind.Piece{ID: i.id, Start: f.at, End: end})
			if i.hole >= 0 {
				f.form.Holes = append(f.form.Holes, f.hole(i.hole, f.at))
				f.form.IDs = append(f.form.IDs, i.hole)
			}
			f.texts = append(f.texts, i.text)
			f.at = end
		case *statement:
			f.addStatement(i, choose)
		}
	}
}

// addStatement adds the content of a statement. The body of a loop comes twice, so
// its end meets its start; nested bodies come twice for each time.
func (f *former) addStatement(s *statement, choose func(*statement) int) {
	k := choose(s)
	times := 1
	if s.repeats && k == 0 && !f.repeated {
		times = 2
	}
	var chosen []int
	for n := range times {
		cut := len(f.form.Cuts)
		f.form.Cuts = append(f.form.Cuts, bind.Cut{Start: f.at, Tag: s.tag})
		outer := f.repeated
		f.repeated = outer || times > 1
		next := 0
		f.addBlock(s.choices[k], func(inner *statement) int {
			// The second time goes as the first one did.
			if n > 0 {
				next++
				return chosen[next-1]
			}
			chosen = append(chosen, choose(inner))
			return chosen[len(chosen)-1]
		})
		f.repeated = outer
		f.form.Cuts[cut].End = f.at
	}
}
