package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weirnet/weir/bench/report"
)

// script is a participant that does what it is told to in each of its runs.
type script struct {
	subject
	refused error   // by begin
	runs    []error // what each run returns; nil after the last
	done    int
	said    []string
}

func (s *script) begin(context.Context) error { s.said = append(s.said, "begin"); return s.refused }
func (s *script) finish()                     { s.said = append(s.said, "finish") }
func (s *script) close()                      { s.said = append(s.said, "close") }

func (s *script) run(_ context.Context, i int) error {
	s.said = append(s.said, fmt.Sprint("run ", i))
	s.done++
	if s.done > len(s.runs) || s.runs[s.done-1] == nil {
		s.result.Take("it", "/s", 1)
		return nil
	}
	return s.runs[s.done-1]
}

// play is a scenario of scripts.
type play struct {
	Options
	wrong error
	cast  []*script
}

func (p *play) Check() error { return errors.Join(p.wrong, p.Options.check(2)) }

func (p *play) plan(r *report.Report) (list []participant) {
	r.Scenario = "play"
	for i, s := range p.cast {
		s.result = r.Add(fmt.Sprintf("s%d", i))
		list = append(list, s)
	}
	return list
}

// TestRunsAreSharedAndVerdictsKept: everybody takes part in each run; who fails is refused and said so
// at once, and the others go on; what was started is ended.
func TestRunsAreSharedAndVerdictsKept(t *testing.T) {
	late := report.ErrLate
	good, slow, gone := &script{}, &script{runs: []error{nil, report.ErrSlow}}, &script{refused: errors.New("nobody there")}
	again, never := &script{runs: []error{late, nil, late, nil}}, &script{runs: []error{late, late, late}}
	var notes []string
	p := &play{cast: []*script{good, slow, gone, again, never}}
	p.Note = func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	r, err := Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	for s, want := range map[*script]string{
		good: "begin run 0 run 1 finish close", slow: "begin run 0 run 1 close", gone: "begin close",
		again: "begin run 0 run 0 run 1 run 1 finish close", never: "begin run 0 run 0 run 0 close",
	} {
		if got := strings.Join(s.said, " "); got != want {
			t.Errorf("%s: %s, want %s", s.result.Subject, got, want)
		}
	}
	for i, want := range []string{"", "run 2: " + report.ErrSlow.Error(), "nobody there", "", "run 1: " + late.Error()} {
		x := r.Results[i]
		if x.Refused != want || (want != "") != (len(x.Measures) == 0) {
			t.Errorf("%s: refused %q with %d measures, want %q", x.Subject, x.Refused, len(x.Measures), want)
		}
	}
	if again.result.Repeated != 2 || never.result.Repeated != 2 || r.Load.Runs != 2 || !r.Refused() ||
		r.Verdict == report.Valid || !slices.Contains(notes, "s2: no result: nobody there") {
		t.Errorf("%d and %d repeated, %d runs, verdict %q, notes %q", again.result.Repeated, never.result.Repeated, r.Load.Runs,
			r.Verdict, notes)
	}
}

// TestSelfCheckThatFailsRefuses: without the generator's own capacity nobody else has a result.
func TestSelfCheckThatFailsRefuses(t *testing.T) {
	one, null := &script{}, &script{runs: []error{report.ErrMissing}}
	p := &selfChecked{play{cast: []*script{one, null}}}
	r, err := Run(t.Context(), p)
	if err != nil || !strings.Contains(r.Results[0].Refused, "self-check") || len(r.Results[0].Measures) > 0 {
		t.Errorf("%v, %+v", err, r.Results[0])
	}
}

// selfChecked is a play whose last participant is the self-check.
type selfChecked struct{ play }

func (p *selfChecked) plan(r *report.Report) []participant {
	list := p.play.plan(r)
	p.cast[len(p.cast)-1].result.SelfCheck = true
	return list
}

// TestNothingRunsOfAWrongScenario: a wrong configuration starts nobody, and an interruption ends all
// without a report.
func TestNothingRunsOfAWrongScenario(t *testing.T) {
	s := &script{}
	for _, p := range []*play{{wrong: errors.New("wrong"), cast: []*script{s}},
		{Options: Options{Runs: -1}, cast: []*script{s}}} {
		if r, err := Run(t.Context(), p); r != nil || err == nil || len(s.said) > 0 {
			t.Errorf("%v, %v, said %q", r, err, s.said)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	s.runs = []error{context.Canceled}
	r, err := Run(ctx, &play{cast: []*script{s}})
	if r != nil || !errors.Is(err, context.Canceled) || strings.Join(s.said, " ") != "begin run 0 close" {
		t.Errorf("%v, %v, said %q", r, err, s.said)
	}
}

// TestScenariosRefuse wants what was given and what is wanted of what cannot be measured.
func TestScenariosRefuse(t *testing.T) {
	runs := Options{Runs: -1}
	for want, s := range map[string]Scenario{
		"-1 runs given":                             &Start{Options: runs},
		"-1 single switches":                        &Discovery{Single: -1, Limit: 1, Rest: 1},
		"a ring of 3 or more":                       &Emulator{Ring: 2},
		"a rule for each flow":                      &Emulator{Rules: 10, Flows: 11},
		"two hosts or more":                         &Rest{Topology: "single:1"},
		"no controller given":                       &Reactive{},
		"-1 active paths":                           &Churn{Active: -1},
		"2 intents or more":                         &Latency{Count: 1},
		"numbers from 1 to":                         &Requests{Conns: []int{0}},
		"want two numbers or more, the least first": &Growth{Times: []int{10, 1}},
		"in -1 cuts":                                &Reroute{Cuts: -1},
		"-1 bursts":                                 &Paths{Bursts: -1},
		"a rate of -1":                              &Events{Rate: -1},
	} {
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: %v, want %q", s, err, want)
		}
	}
}
