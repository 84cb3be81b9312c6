package flowtable

import "github.com/weirnet/weir/openflow"

func (s *Switch) meterStats(id uint32) (openflow.ReplyBody, error) {
	list := &openflow.MeterStatsList{}
	for _, m := range sorted(s.meters, id, openflow.MeterAll) {
		st := openflow.MeterStats{Meter: m.id, Flows: uint32(m.flows), PacketsIn: m.packets, BytesIn: m.bytes}
		st.DurationSec, st.DurationNsec = age(s.now, m.created)
		for i := range m.bands {
			st.Bands = append(st.Bands, openflow.BandCounter{Packets: m.bands[i].packets, Bytes: m.bands[i].bytes})
		}
		list.Meters = append(list.Meters, st)
	}
	return list, unknownMeter(id, len(list.Meters))
}

func (s *Switch) meterConfig(id uint32) (openflow.ReplyBody, error) {
	list := &openflow.MeterConfigList{}
	for _, m := range sorted(s.meters, id, openflow.MeterAll) {
		c := openflow.MeterConfig{Flags: m.flags, Meter: m.id}
		for i := range m.bands {
			c.Bands = append(c.Bands, m.bands[i].Band)
		}
		list.Meters = append(list.Meters, c)
	}
	return list, unknownMeter(id, len(list.Meters))
}

// unknownMeter refuses a request for one meter that there is not.
func unknownMeter(id uint32, found int) error {
	if found == 0 && id != openflow.MeterAll {
		return refuse(openflow.MeterModFailedUnknownMeter, "meter %d, which there is not", id)
	}
	return nil
}

func (s *Switch) meterFeatures() openflow.ReplyBody {
	return &openflow.MeterFeatures{
		MaxMeters: uint32(s.cfg.MaxMeters), BandTypes: 1<<openflow.BandDrop | 1<<openflow.BandDSCPRemark,
		Capabilities: uint32(
			openflow.MeterFlagKbps | openflow.MeterFlagPktps | openflow.MeterFlagBurst | openflow.MeterFlagStats),
		MaxBands: maxBands,
	}
}
