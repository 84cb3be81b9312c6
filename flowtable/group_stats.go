package flowtable

import "github.com/weirnet/weir/openflow"

func (s *Switch) groupStats(id uint32) (openflow.ReplyBody, error) {
	list := &openflow.GroupStatsList{}
	for _, g := range sorted(s.groups, id, openflow.GroupAll) {
		st := openflow.GroupStats{Group: g.id, RefCount: uint32(g.refs), Packets: g.packets, Bytes: g.bytes}
		st.DurationSec, st.DurationNsec = age(s.now, g.created)
		for i := range g.buckets {
			st.Buckets = append(st.Buckets, openflow.BucketCounter{Packets: g.buckets[i].packets, Bytes: g.buckets[i].bytes})
		}
		list.Groups = append(list.Groups, st)
	}
	return list, nil
}

func (s *Switch) groupDesc() openflow.ReplyBody {
	list := &openflow.GroupDescList{}
	for _, g := range sorted(s.groups, openflow.GroupAll, openflow.GroupAll) {
		d := openflow.GroupDesc{Kind: g.kind, Group: g.id}
		for i := range g.buckets {
			d.Buckets = append(d.Buckets, g.buckets[i].Bucket)
		}
		list.Groups = append(list.Groups, d)
	}
	return list
}

func (s *Switch) groupFeatures() openflow.ReplyBody {
	f := &openflow.GroupFeatures{
		Types: 1<<openflow.GroupTypeAll | 1<<openflow.GroupTypeSelect | 1<<openflow.GroupTypeIndirect |
			1<<openflow.GroupTypeFastFailover,
		Capabilities: openflow.GroupCapabilitySelectWeight | openflow.GroupCapabilitySelectLiveness |
			openflow.GroupCapabilityChaining |
			openflow.GroupCapabilityChainingChecks,
	}
	for i := range f.MaxGroups {
		f.MaxGroups[i], f.Actions[i] = uint32(s.cfg.MaxGroups), actionBits()
	}
	return f
}

// actionBits are the actions that a Switch does, as bits.
func actionBits() uint32 {
	bits := uint32(0)
	for _, t := range actionTypes {
		bits |= 1 << t
	}
	return bits
}
