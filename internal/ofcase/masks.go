package ofcase

import (
	"slices"

	"github.com/weirnet/weir/openflow"
)

// OVSMasks make equal what Open vSwitch does by choice, or cannot do.
var OVSMasks = []Mask{
	{Name: "port-counters", Apply: each(func(_ Step, l *openflow.PortStatsList) {
		for i := range l.Ports {
			p := &l.Ports[i]
			p.RxDropped, p.TxDropped, p.RxErrors, p.TxErrors = 0, 0, 0, 0
			p.RxFrameErr, p.RxOverErr, p.RxCRCErr, p.Collisions = 0, 0, 0, 0
		}
	})},
	{Name: "port-mod-status", Apply: func(s Step, o *Outcome) {
		if s.is(openflow.TypePortMod) {
			o.drop(func(m openflow.Message) bool { return m.Type() == openflow.TypePortStatus })
		}
	}},
	{Name: "down-is-link-down", Apply: each(func(_ Step, l *openflow.PortDescList) {
		for i := range l.Ports {
			if p := &l.Ports[i]; p.Config&openflow.PortConfigDown != 0 {
				p.State = 0
			}
		}
	})},
	{Name: "tables-of-1.0", Apply: func(s Step, o *Outcome) {
		if o.Version == openflow.V10 {
			each(func(_ Step, l *openflow.TableStatsList) {
				l.Tables = l.Tables[:1]
				l.Tables[0].Name = ""
			})(s, o)
		}
	}},
	{Name: "meter-burst", Apply: each(func(_ Step, l *openflow.MeterConfigList) {
		for _, m := range l.Meters {
			for i := range m.Bands {
				if m.Flags&openflow.MeterFlagBurst == 0 {
					m.Bands[i].Burst = 0
				}
			}
		}
	})},
	{Name: "group-references", Apply: each(func(_ Step, l *openflow.GroupStatsList) {
		for i := range l.Groups {
			l.Groups[i].RefCount = 0
		}
	})},
	{Name: "packet-out-reason", Apply: func(s Step, o *Outcome) {
		if o.Version == openflow.V13 && s.is(openflow.TypePacketOut) {
			for _, m := range o.Messages {
				if p, ok := m.(*openflow.PacketIn); ok && p.Reason == openflow.ReasonNoMatch {
					p.Reason = openflow.ReasonAction
				}
			}
		}
	}},
	{Name: "modify-checks-references", Apply: func(s Step, o *Outcome) {
		if f, ok := s.parse().(*openflow.FlowMod); ok &&
			(f.Command == openflow.FlowModify || f.Command == openflow.FlowModifyStrict) {
			o.drop(func(m openflow.Message) bool {
				e, ok := m.(*openflow.ErrorMsg)
				return ok && (e.Code == openflow.BadActionBadOutGroup || e.Code == openflow.MeterModFailedInvalidMeter)
			})
		}
	}},
}

// is reports whether the step is a message of a type.
func (s Step) is(t openflow.Type) bool {
	m := s.parse()
	return m != nil && m.Type() == t
}

// parse is the message of a step; nil if it has none that can be read.
func (s Step) parse() openflow.Message {
	if s.Message == nil {
		return nil
	}
	_, m, err := openflow.Parse(s.Message)
	if err != nil {
		return nil
	}
	return m
}

// drop leaves messages out.
func (o *Outcome) drop(which func(openflow.Message) bool) {
	o.Messages = slices.DeleteFunc(o.Messages, which)
}

// each is a mask of the bodies of one kind of multipart reply.
func each[B openflow.ReplyBody](change func(Step, B)) func(Step, *Outcome) {
	return func(s Step, o *Outcome) {
		for _, m := range o.Messages {
			if r, ok := m.(*openflow.MultipartReply); ok {
				if b, ok := r.Body.(B); ok {
					change(s, b)
				}
			}
		}
	}
}
