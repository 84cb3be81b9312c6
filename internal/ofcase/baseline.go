package ofcase

import "github.com/weirnet/weir/openflow"

// baseline are counters at the beginning of a case that a switch does not set to zero.
type baseline struct {
	ports  []openflow.PortStats
	tables []openflow.TableStats
}

// take keeps the counters of an answer.
func (b *baseline) take(body openflow.ReplyBody) {
	switch r := body.(type) {
	case *openflow.PortStatsList:
		b.ports = r.Ports
	case *openflow.TableStatsList:
		b.tables = r.Tables
	}
}

// subtract takes the beginning away from the counters of an answer.
func (b *baseline) subtract(body openflow.ReplyBody) {
	switch r := body.(type) {
	case *openflow.PortStatsList:
		for i := range r.Ports {
			for _, old := range b.ports {
				if p := &r.Ports[i]; p.Port == old.Port {
					p.RxPackets -= old.RxPackets
					p.TxPackets -= old.TxPackets
					p.RxBytes -= old.RxBytes
					p.TxBytes -= old.TxBytes
					d := int64(p.DurationSec)*1e9 + int64(p.DurationNsec) - int64(old.DurationSec)*1e9 - int64(old.DurationNsec)
					p.DurationSec, p.DurationNsec = uint32(d/1e9), uint32(d%1e9)
				}
			}
		}
	case *openflow.TableStatsList:
		for i := range r.Tables {
			for _, old := range b.tables {
				if t := &r.Tables[i]; t.Table == old.Table {
					t.Lookups -= old.Lookups
					t.Matched -= old.Matched
				}
			}
		}
	}
}
