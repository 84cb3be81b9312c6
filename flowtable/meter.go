package flowtable

import (
	"time"

	"github.com/weirnet/weir/openflow"
)

// meter is a meter with its counters.
type meter struct {
	id      uint32
	flags   openflow.MeterFlags
	bands   []band
	flows   int // entries that use it
	packets uint64
	bytes   uint64
	created time.Duration
}

// band is a rate of a meter: a bucket that fills at the rate up to the burst, and that packets
// empty. What does not fit is over the rate.
type band struct {
	openflow.Band
	level   int64 // nanotokens: billionths of a bit, or of a packet
	full    int64
	perNano int64 // nanotokens a nanosecond: bits or packets a second
	filled  time.Duration
	packets uint64
	bytes   uint64
}

// Bounds of meters.
const (
	meterMax = 0xffff0000 // OFPM_MAX
	maxBands = 16
	maxBurst = 1 << 33 // bits or packets; a larger burst counts as this, so that a bucket can be counted in 63 bits
)

// MeterMod changes the meters as a controller of OpenFlow 1.3 asks. The error is an *Error; then
// nothing has changed.
func (s *Switch) MeterMod(_ openflow.Version, m *openflow.MeterMod, now time.Duration, out Output) error {
	s.begin(now, out)
	defer s.end()
	switch m.Command {
	case openflow.MeterAdd, openflow.MeterModify:
		return s.setMeter(m)
	case openflow.MeterDelete:
		s.deleteMeters(m.Meter)
		return nil
	}
	return refuse(openflow.MeterModFailedBadCommand, "meter_mod with command %d", m.Command)
}

// setMeter adds a meter, or changes the one that is there, which keeps its own counters.
func (s *Switch) setMeter(m *openflow.MeterMod) error {
	old, adds := s.meters[m.Meter], m.Command == openflow.MeterAdd
	switch {
	case adds && old != nil:
		return refuse(openflow.MeterModFailedMeterExists, "meter %d is there already", m.Meter)
	case !adds && old == nil:
		return refuse(openflow.MeterModFailedUnknownMeter, "meter %d, which there is not", m.Meter)
	}
	x, err := s.newMeter(m)
	if err != nil {
		return err
	}
	if old != nil {
		x.flows, x.packets, x.bytes, x.created = old.flows, old.packets, old.bytes, old.created
	} else if len(s.meters) >= s.cfg.MaxMeters {
		return refuse(openflow.MeterModFailedOutOfMeters, "%d meters", len(s.meters))
	}
	if s.meters == nil {
		s.meters = make(map[uint32]*meter)
	}
	s.meters[m.Meter] = x
	return nil
}

// newMeter makes a meter of a message, or returns why it cannot.
func (s *Switch) newMeter(m *openflow.MeterMod) (*meter, error) {
	const rates = openflow.MeterFlagKbps | openflow.MeterFlagPktps
	const known = rates | openflow.MeterFlagBurst | openflow.MeterFlagStats
	switch {
	case m.Meter == 0 || m.Meter > meterMax && m.Meter != openflow.MeterController:
		return nil, refuse(openflow.MeterModFailedInvalidMeter, "meter 0x%x is none that can be", m.Meter)
	case m.Flags&^known != 0 || m.Flags&rates == rates:
		return nil, refuse(openflow.MeterModFailedBadFlags, "meter_mod with flags %s", m.Flags)
	case len(m.Bands) > maxBands:
		return nil, refuse(openflow.MeterModFailedOutOfBands, "%d bands, more than %d", len(m.Bands), maxBands)
	}
	x := &meter{id: m.Meter, flags: m.Flags, created: s.now}
	for i := range m.Bands {
		b, err := s.newBand(m.Flags, &m.Bands[i])
		if err != nil {
			return nil, err
		}
		x.bands = append(x.bands, b)
	}
	return x, nil
}

// newBand makes a band; its bucket is full.
func (s *Switch) newBand(flags openflow.MeterFlags, m *openflow.Band) (band, error) {
	switch {
	case m.Type != openflow.BandDrop && m.Type != openflow.BandDSCPRemark:
		return band{}, refuse(openflow.MeterModFailedBadBand, "band of type %s, which this switch has not", m.Type)
	case m.Rate == 0:
		return band{}, refuse(openflow.MeterModFailedBadRate, "band with rate 0")
	case m.Type == openflow.BandDSCPRemark && (m.PrecLevel == 0 || m.PrecLevel > 2):
		return band{}, refuse(openflow.MeterModFailedBadBandValue, "prec_level %d, neither 1 nor 2", m.PrecLevel)
	}
	b := band{Band: *m, filled: s.now, perNano: int64(m.Rate)}
	b.Data = nil
	burst := int64(m.Rate) // one second's worth
	if flags&openflow.MeterFlagBurst != 0 && m.Burst != 0 {
		burst = int64(m.Burst)
	}
	if flags&openflow.MeterFlagPktps == 0 {
		b.perNano, burst = b.perNano*1000, burst*1000
	}
	b.full = min(burst, maxBurst) * int64(time.Second)
	b.level = b.full
	return b, nil
}

// deleteMeters removes a meter, or all, with the entries that use it. One that there is not is no
// error.
func (s *Switch) deleteMeters(id uint32) {
	gone, flows := sorted(s.meters, id, openflow.MeterAll), 0
	for _, x := range gone {
		flows += x.flows
	}
	if flows > 0 {
		s.removeWhere(openflow.RemovedDelete, func(p *program) bool {
			return p.has&hasMeter != 0 && (p.meter == id || id == openflow.MeterAll)
		})
	}
	for _, x := range gone {
		delete(s.meters, x.id)
	}
}

// removeWhere removes the entries whose programs f selects.
func (s *Switch) removeWhere(why openflow.FlowRemovedReason, f func(*program) bool) {
	clear(s.picked)
	s.picked = s.picked[:0]
	for _, t := range s.tables {
		if t == nil {
			continue
		}
		for _, u := range t.tuples {
			for e := range u.each {
				if f(e.program) {
					s.picked = append(s.picked, e)
				}
			}
		}
	}
	for _, e := range s.picked {
		s.remove(e, why)
	}
}

// pass counts a packet and reports whether it goes on; precedence is by how much its drop
// precedence is to grow. Of the bands whose rate it exceeds, that with the highest rate acts
// (OpenFlow 1.3, section 5.7.1).
func (m *meter) pass(size int, now time.Duration) (ok bool, precedence uint8) {
	m.packets++
	m.bytes += uint64(size)
	cost := int64(time.Second)
	if m.flags&openflow.MeterFlagPktps == 0 {
		cost = int64(size) * 8 * int64(time.Second)
	}
	var over *band
	for i := range m.bands {
		b := &m.bands[i]
		b.fill(now)
		if b.level >= cost {
			b.level -= cost
		} else if over == nil || b.Rate > over.Rate {
			over = b
		}
	}
	if over == nil {
		return true, 0
	}
	over.packets++
	over.bytes += uint64(size)
	if over.Type == openflow.BandDrop {
		return false, 0
	}
	return true, over.PrecLevel
}

// fill adds what has come in since the last time.
func (b *band) fill(now time.Duration) {
	d := int64(now - b.filled)
	b.filled = now
	if d > (b.full-b.level)/b.perNano {
		b.level = b.full
	} else if d > 0 {
		b.level += d * b.perNano
	}
}

// metered sends the packet through a meter and reports whether it goes on.
func (p *pass) metered(m *meter) bool {
	if d := p.s.decision; d != nil {
		d.cannot("it passes a meter")
	}
	if p.s.uncounted { // it is not known what has passed before
		return true
	}
	ok, precedence := m.pass(len(p.frame.bytes), p.s.now)
	if !ok {
		p.done = true
		return false
	}
	if precedence > 0 {
		h := p.frame.locate()
		h.remark(precedence)
	}
	return true
}
