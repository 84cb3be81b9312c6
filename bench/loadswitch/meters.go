package loadswitch

import "github.com/weirnet/weir/openflow"

// meters are the configurations of a switch's meters, by number; they limit nothing. They belong to the session's
// reader.
type meters map[uint32]openflow.MeterConfig

// apply does a meter-mod; false, with an error code, if the switch refuses it.
func (t *meters) apply(m *openflow.MeterMod) (openflow.ErrorCode, bool) {
	_, had := (*t)[m.Meter]
	switch {
	case m.Command == openflow.MeterDelete && m.Meter == openflow.MeterAll:
		clear(*t)
	case m.Command == openflow.MeterDelete:
		delete(*t, m.Meter)
	case m.Command == openflow.MeterAdd && had:
		return openflow.MeterModFailedMeterExists, false
	case m.Command == openflow.MeterModify && !had:
		return openflow.MeterModFailedUnknownMeter, false
	default:
		if *t == nil {
			*t = make(meters)
		}
		(*t)[m.Meter] = openflow.MeterConfig{Flags: m.Flags, Meter: m.Meter, Bands: append([]openflow.Band(nil), m.Bands...)}
	}
	return 0, true
}

// configs answers for one meter or all.
func (t meters) configs(id uint32) *openflow.MeterConfigList {
	l := &openflow.MeterConfigList{}
	for n, c := range t {
		if id == openflow.MeterAll || id == n {
			l.Meters = append(l.Meters, c)
		}
	}
	return l
}
