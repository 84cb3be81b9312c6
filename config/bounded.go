package config

import "fmt"

// MaxProblems are told of one configuration: a file that is something else altogether has one in every line.
const MaxProblems = 100

// take adds a problem, or only counts it where there are MaxProblems already.
func (t *tally) take(p Problem) {
	if t.found++; len(t.list) < MaxProblems {
		t.list = append(t.list, p)
	}
}

// tally is what is wrong with a configuration: the first of it, and how much.
type tally struct {
	list  Problems
	found int
}

// problems are those that are told, in order of lines, and how many more there are.
func (t *tally) problems() Problems {
	out := t.list.sorted()
	if more := t.found - len(out); more > 0 {
		out = append(out, Problem{Text: fmt.Sprintf("and %d more problems", more)})
	}
	return out
}
