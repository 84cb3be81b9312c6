package object

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/weirnet/weir/openflow"
)

// Unit is what a meter counts.
type Unit uint8

// The units of rates; bursts are in kbit or packets.
const (
	KilobitsPerSecond Unit = iota
	PacketsPerSecond
)

// String is the unit as the flags of a meter name it.
func (u Unit) String() string { return [...]string{"kbps", "pktps"}[u] }

// BandsMax is the largest number of bands of a meter that a switch can say to have (max_bands of
// struct ofp_meter_features).
const BandsMax = 255

// Meter is a rate above which packets are dropped, or their drop precedence grows.
type Meter struct {
	identity
	unit  Unit
	bands []openflow.Band // by rising rate
}

// NewMeter returns a meter. Of the bands whose rate packets exceed, that with the highest rate acts. A burst of 0
// leaves it to the switch.
func NewMeter(unit Unit, bands ...openflow.Band) (*Meter, error) {
	m := &Meter{unit: unit, bands: slices.Clone(bands)}
	slices.SortFunc(m.bands, func(a, b openflow.Band) int { return cmp.Compare(a.Rate, b.Rate) })
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("meter with %w", err)
	}
	for i := range m.bands {
		m.bands[i].Data = nil // of an experimenter's band only
		m.bands[i].Experimenter = 0
	}
	key, err := m.mod(Add, 0).Append([]byte{'m'}, openflow.V13)
	if err != nil {
		return nil, fmt.Errorf("meter with %d bands: %w", len(bands), err)
	}
	m.identity = newIdentity(key)
	return m, nil
}

// Owned returns a meter that does the same and is one owner's, who is not 0: others with the same content have other ones, and
// their packets do not count in this one. A switch lists it as any other with this content.
func (m *Meter) Owned(owner uint64) *Meter {
	own := *m
	own.identity = owned(m.key, owner, m.does)
	return &own
}

// check says what is wrong of a meter whose bands are in order.
func (m *Meter) check() error {
	switch n := len(m.bands); {
	case m.unit > PacketsPerSecond:
		return fmt.Errorf("unit %d: want KilobitsPerSecond or PacketsPerSecond", m.unit)
	case n == 0:
		return fmt.Errorf("no band: want at least one, since it would let all packets pass; leave the meter out instead")
	case n > BandsMax:
		return fmt.Errorf("%d bands: want at most %d", n, BandsMax)
	}
	for i := range m.bands {
		if err := m.checkBand(i); err != nil {
			return fmt.Errorf("band %s: %w", m.bandText(i), err)
		}
	}
	return nil
}

func (m *Meter) checkBand(i int) error {
	b := &m.bands[i]
	switch {
	case b.Type != openflow.BandDrop && b.Type != openflow.BandDSCPRemark:
		return fmt.Errorf("want type drop or dscp_remark")
	case b.Rate == 0:
		return fmt.Errorf("want a rate of at least 1; to drop all packets use a rule without actions")
	case i > 0 && b.Rate == m.bands[i-1].Rate:
		return fmt.Errorf("another band has this rate, and which of them acts is not defined: give each a rate of its own")
	case b.Type == openflow.BandDrop && b.PrecLevel != 0:
		return fmt.Errorf("a band that drops has no precedence level: want 0, or type dscp_remark")
	case b.Type == openflow.BandDSCPRemark && (b.PrecLevel < 1 || b.PrecLevel > 2):
		return fmt.Errorf("want precedence level 1 or 2, since a packet has one of three drop precedences")
	case (b.Burst == 0) != (m.bands[0].Burst == 0):
		return fmt.Errorf("some bands have a burst and some have none, which a meter cannot say: give all one, or none")
	}
	return nil
}

// Unit returns the unit of rates and bursts.
func (m *Meter) Unit() Unit { return m.unit }

// Bands returns the bands by rising rate. They are not to be changed.
func (m *Meter) Bands() []openflow.Band { return m.bands }

// Uses implements Object.
func (m *Meter) Uses() []*Group { return nil }

// Message implements Object.
func (m *Meter) Message(c Command, number uint32, _ func(Object) uint32) openflow.Message {
	return m.mod(c, number)
}

func (m *Meter) mod(c Command, number uint32) *openflow.MeterMod {
	mod := &openflow.MeterMod{Command: openflow.MeterModCommand(c), Meter: number}
	if c != Delete {
		mod.Flags, mod.Bands = m.flags(), m.bands
	}
	return mod
}

func (m *Meter) flags() openflow.MeterFlags {
	flags := openflow.MeterFlagKbps
	if m.unit == PacketsPerSecond {
		flags = openflow.MeterFlagPktps
	}
	if m.bands[0].Burst != 0 {
		flags |= openflow.MeterFlagBurst
	}
	return flags
}

// String implements Object: "meter pktps {drop,rate=1000,burst=100}".
func (m *Meter) String() string {
	var b strings.Builder
	b.WriteString("meter " + m.unit.String())
	for i := range m.bands {
		b.WriteString(" " + m.bandText(i))
	}
	if m.owner != 0 {
		fmt.Fprintf(&b, " of owner %x", m.owner)
	}
	return b.String()
}

func (m *Meter) bandText(i int) string {
	b := &m.bands[i]
	text := fmt.Sprintf("{%s,rate=%d", b.Type, b.Rate)
	if b.Burst != 0 {
		text += fmt.Sprintf(",burst=%d", b.Burst)
	}
	if b.PrecLevel != 0 {
		text += fmt.Sprintf(",prec_level=%d", b.PrecLevel)
	}
	return text + "}"
}
