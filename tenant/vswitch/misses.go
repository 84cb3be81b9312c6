package vswitch

import (
	"time"

	"github.com/weirnet/weir/openflow"
)

// misses are the rows that show what no entry matches, as OpenFlow 1.0 has it: one for each table that packets come to.
type misses struct {
	shown   bool
	reached [TablesMax]bool // table 0, and those that an entry has gone to
}

// SetMiss sets whether what no entry matches is shown, as flowtable's SetMiss: as long as a controller of OpenFlow 1.0 is
// there. It is shown to those of 1.0 only.
func (s *Switch) SetMiss(toController bool, now time.Duration, out Output) {
	s.begin(Origin{}, now, out)
	if toController != s.misses.shown {
		microFlows{&s.physical}.removeAll() // what no entry matches is done something else with
	}
	s.tables.SetMiss(toController)
	s.misses.shown, s.misses.reached[0] = toController, true
	if toController || s.micro.reactive {
		s.showMisses()
	} else {
		for table := range uint8(TablesMax) {
			if r := s.byPlace[missPlace(table)]; r != nil {
				r.miss = false
				s.leaveAll(r)
			}
		}
	}
	s.barriers.answer(out)
}

// missPlace is where a table's row of misses is, as the place of an entry.
func missPlace(table uint8) string { return string([]byte{table}) }

// reach notes which tables packets come to.
func (s *physical) reach(list []openflow.Instruction) {
	for i := range list {
		if in := &list[i]; in.Type == openflow.InstructionGotoTable && !s.misses.reached[in.Table] {
			s.misses.reached[in.Table] = true
			s.showMisses()
		}
	}
}

// showMisses orders the rows of misses that are not there, also after the physical switch has refused them.
func (s *physical) showMisses() {
	if !s.misses.shown && !s.micro.reactive {
		return
	}
	for table, is := range s.misses.reached {
		is = is && (table == 0 || !s.cfg.Single) || table == 0 && s.micro.reactive
		place := missPlace(uint8(table))
		r := s.byPlace[place]
		switch {
		case !is || r != nil && r.miss && !r.short:
			continue
		case r == nil:
			r = s.newRow()
			r.place, s.byPlace[place] = place, r
			r.told = entryCopy{shows: true, table: uint8(table), instructions: []openflow.Instruction{
				openflow.Apply(openflow.OutputController(openflow.ControllerNoCut))}}
			if table > 0 { // a packet that no entry matches has its action set not executed
				r.told.instructions = append(r.told.instructions, openflow.Instruction{Type: openflow.InstructionClearActions})
			}
		}
		r.miss, r.short = true, false
		s.sync(r, false)
	}
}
