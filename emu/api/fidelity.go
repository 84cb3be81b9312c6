package api

import (
	"context"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/profile"
)

// Lateness is how late something was, of what was promised for a time.
type Lateness struct {
	Promises uint64  `json:"promises" doc:"frames that were to arrive at a time, and what switches were to do at a time"`
	Late     uint64  `json:"late" doc:"of them, by more than the tolerance"`
	P50      float64 `json:"p50_us" doc:"microseconds; half of the promises were not later than this"`
	P90      float64 `json:"p90_us"`
	P99      float64 `json:"p99_us"`
	Max      float64 `json:"max_us"`
	Excess   float64 `json:"excess" doc:"all lateness, as a share of all the time that was promised"`
	Wait     float64 `json:"longest_wait_us" doc:"the longest that a frame waited for its turn, where no time was promised"`
}

// Fidelity is how well a network keeps the times that it promises.
type Fidelity struct {
	Kept      bool             `json:"kept" doc:"promised times were kept in each second of the window"`
	Since     *Span            `json:"since,omitempty" doc:"where they were not: age of the network when that began"`
	Why       string           `json:"why,omitempty" doc:"where they were not: by which criterion, of which engine, and what it lacked"`
	Text      string           `json:"text" doc:"the same for people"`
	Window    Span             `json:"window"`
	Tolerance Span             `json:"tolerance" doc:"what is later than this is late"`
	Now       Lateness         `json:"now" doc:"of the window"`
	Total     Lateness         `json:"total" doc:"since the network was made"`
	NotKept   Span             `json:"not_kept" doc:"how much of that time promises were not kept"`
	Engines   []EngineFidelity `json:"engines" nullable:"false"`
	Assumed   []string         `json:"assumed" nullable:"false" doc:"parts of profiles whose figures nobody has measured, PROFILE.PART: results that rest on them are guesses"`
}

// EngineFidelity is the part of one engine, of the window.
type EngineFidelity struct {
	Promises  uint64  `json:"promises"`
	Late      uint64  `json:"late"`
	Max       float64 `json:"max_us"`
	Busy      float64 `json:"busy" doc:"share of the time in which it had something to do, 0 to 1"`
	Overslept float64 `json:"overslept_us" doc:"by how much the machine woke it too late, at most"`
}

func latenessItem(l emu.Lateness) Lateness {
	return Lateness{l.Promises, l.Late, micros(l.P50), micros(l.P90), micros(l.P99), micros(l.Max), l.Excess, micros(l.Wait)}
}

func (r overview) fidelity(context.Context, *none) (*one[Fidelity], error) {
	f := r.net.Fidelity()
	item := Fidelity{Kept: f.Kept, Why: f.Why, Text: f.String(), Window: Span(f.Window),
		Tolerance: Span(f.Tolerance), Now: latenessItem(f.Lateness),
		Total: latenessItem(f.Total), NotKept: Span(f.Bad), Engines: []EngineFidelity{}, Assumed: []string{}}
	if !f.Kept {
		since := Span(f.Since)
		item.Since = &since
	}
	for _, e := range f.Engines {
		item.Engines = append(item.Engines, EngineFidelity{e.Promises, e.Late, micros(e.Max), e.Busy, micros(e.Overslept)})
	}
	for _, p := range r.net.Profiles() {
		for _, part := range p.Guessed() {
			item.Assumed = append(item.Assumed, p.Name+"."+part)
		}
	}
	return &one[Fidelity]{item}, nil
}

// Profile is how switches behave.
type Profile struct {
	Name     string        `json:"name"`
	About    string        `json:"about"`
	Switches int           `json:"switches" doc:"how many have it"`
	Parts    []ProfilePart `json:"parts" nullable:"false" doc:"what it promises; an ideal one promises nothing"`
}

// ProfilePart is one thing that a profile promises.
type ProfilePart struct {
	Name   string         `json:"name"`
	Text   string         `json:"text" doc:"as a file has it"`
	Source profile.Source `json:"source" enum:"measured,paper,assumed"`
}

func (r overview) profiles(context.Context, *none) (*list[Profile], error) {
	return listOf(r.net.Profiles(), func(p emu.ProfileUse) Profile {
		item := Profile{Name: p.Name, About: p.About, Switches: p.Switches, Parts: []ProfilePart{}}
		for _, part := range p.Parts() {
			item.Parts = append(item.Parts, ProfilePart{part.Name, part.Text, part.Source})
		}
		return item
	})
}
