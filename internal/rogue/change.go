package rogue

import (
	"github.com/weirnet/weir/openflow"
)

// changed is a message with something in it that is less usual.
func (c *Controller) changed(message []byte) []byte {
	_, m, err := openflow.Parse(message)
	if err != nil {
		return message
	}
	switch m := m.(type) {
	case *openflow.FlowMod:
		c.changeFlowMod(m)
	case *openflow.PacketOut:
		c.changePacketOut(m)
	case *openflow.GroupMod:
		for i := range m.Buckets {
			b := &m.Buckets[i]
			b.Actions = c.changeActions(b.Actions)
			if b.WatchPort != openflow.PortAny || c.some(8) {
				b.WatchPort = c.own()
			}
			if c.some(8) {
				b.Actions = append(b.Actions, openflow.Group(1+c.r.Uint32N(5)))
			}
		}
	case *openflow.MeterMod:
		for i := range m.Bands {
			m.Bands[i].Rate *= 1000 // or nothing would pass
		}
	case *openflow.PortMod:
		if c.some(2) {
			m.Port, m.Config, m.Mask = c.port(), c.r.Uint32(), c.r.Uint32()
		}
	case *openflow.MultipartRequest:
		if c.some(20) {
			m.Flags = openflow.MultipartMore
		}
	}
	c.xid++
	b, err := openflow.Append(nil, c.cfg.Version, c.xid, m)
	if err != nil {
		return message
	}
	if c.some(12) {
		return Mutate(c.r, b)
	}
	return b
}

func (c *Controller) changeFlowMod(m *openflow.FlowMod) {
	if c.some(3) {
		m.Cookie = c.number()
	}
	if c.some(10) {
		m.Priority = []uint16{0, 1, 65534, 65535}[c.r.IntN(4)]
	}
	if _, has := m.Match.Uint(openflow.FieldInPort); has || c.some(10) {
		m.Match.SetUint(openflow.FieldInPort, uint64(c.own()))
	}
	if c.some(10) {
		mask := c.number()
		m.Match.SetUintMasked(openflow.FieldMetadata, c.number()&mask, mask)
	}
	if n := len(c.cfg.Space); n > 0 && c.some(3) {
		own := &c.cfg.Space[c.r.IntN(n)]
		for f := range openflow.FieldIPv6ExtHdr + 1 {
			if value, mask, has := own.Lookup(f); has {
				m.Match.Set(f, value, mask)
			}
		}
	}
	if c.some(20) {
		m.Table = uint8(c.r.IntN(256))
	}
	if c.some(50) {
		m.Buffer = c.r.Uint32()
	}
	if c.some(20) {
		m.OutPort = c.port()
	}
	if c.some(10) {
		m.IdleTimeout, m.HardTimeout = uint16(c.r.IntN(3)), uint16(c.r.IntN(3))
	}
	for i := range m.Instructions {
		in := &m.Instructions[i]
		in.Actions = c.changeActions(in.Actions)
		if in.Type == openflow.InstructionGotoTable && c.some(6) {
			in.Table = uint8(c.r.IntN(256))
		}
	}
	if c.some(8) {
		m.Instructions = append(m.Instructions, openflow.Instruction{Type: openflow.InstructionWriteMetadata,
			Metadata: c.number(), MetadataMask: c.number()})
	}
	if c.some(40) {
		m.Instructions = append(m.Instructions, openflow.Instruction{Type: openflow.InstructionExperimenter,
			Experimenter: c.r.Uint32(), Data: make([]byte, 8)})
	}
}

func (c *Controller) changePacketOut(m *openflow.PacketOut) {
	if c.some(2) {
		m.InPort = c.own()
	}
	m.Actions = c.changeActions(m.Actions)
	if c.some(8) {
		m.Actions = append(m.Actions, openflow.Output(openflow.PortTable))
	}
	if c.some(20) && len(m.Data) >= 14 { // one that looks like discovery
		m.Data = append(append([]byte{}, m.Data[:12]...), append([]byte{0x88, 0xcc}, m.Data[14:]...)...)
	}
	m.Data = append(append([]byte{}, m.Data...), c.cfg.Mark...)
	if c.some(30) {
		m.Buffer, m.Data = c.r.Uint32N(4), nil
	}
}

// changeActions returns actions of which some go to other ports, set other fields, or are others.
func (c *Controller) changeActions(list []openflow.Action) []openflow.Action {
	own := append([]openflow.Action{}, list...)
	for i := range own {
		switch a := &own[i]; {
		case a.Type != openflow.ActionOutput && a.Type != openflow.ActionEnqueue:
		case a.Port <= openflow.PortMax || c.some(8):
			a.Port = c.own()
		}
	}
	if c.some(12) {
		own = append(own, c.action())
	}
	return own
}

// action is any, of a field or of a header.
func (c *Controller) action() openflow.Action {
	etherTypes := []uint16{0x8100, 0x88a8, 0x8847, 0x8848, 0x88e7, 0x0800, 0x86dd, 0x88cc}
	types := []openflow.ActionType{openflow.ActionCopyTTLOut, openflow.ActionCopyTTLIn, openflow.ActionSetMPLSTTL,
		openflow.ActionDecMPLSTTL, openflow.ActionPushVLAN, openflow.ActionPopVLAN, openflow.ActionPushMPLS,
		openflow.ActionPopMPLS, openflow.ActionSetQueue, openflow.ActionGroup, openflow.ActionPushPBB, openflow.ActionPopPBB,
		openflow.ActionSetVLANVID, openflow.ActionSetVLANPCP, openflow.ActionEnqueue, openflow.ActionExperimenter}
	if c.some(2) {
		return openflow.SetField(openflow.Field(c.r.IntN(int(openflow.FieldIPv6ExtHdr)+1)), c.number())
	}
	return openflow.Action{Type: types[c.r.IntN(len(types))], EtherType: etherTypes[c.r.IntN(len(etherTypes))],
		ID: c.r.Uint32N(6), Port: c.port(), TTL: uint8(c.r.IntN(3))}
}

// request is a message about anything but entries, groups and packets.
func (c *Controller) request() openflow.Message {
	masks := openflow.AsyncMasks{PacketIn: [2]uint32{c.r.Uint32(), c.r.Uint32()}, PortStatus: [2]uint32{c.r.Uint32(), 0},
		FlowRemoved: [2]uint32{c.r.Uint32(), c.r.Uint32()}}
	list := []openflow.Message{
		&openflow.EchoRequest{Data: make([]byte, c.r.IntN(300))}, &openflow.EchoReply{Data: make([]byte, c.r.IntN(30))},
		&openflow.BarrierRequest{}, &openflow.FeaturesRequest{}, &openflow.GetConfigRequest{},
		&openflow.SetConfig{Flags: openflow.ConfigFlags(c.r.IntN(4)), MissSendLen: uint16(c.r.IntN(1 << 16))},
		&openflow.RoleRequest{Role: openflow.RoleEqual, Generation: c.number()},
		&openflow.RoleRequest{Role: openflow.RoleEqual, Generation: c.number()},
		&openflow.RoleRequest{Role: openflow.RoleMaster, Generation: c.number()},
		&openflow.RoleRequest{Role: openflow.Role(c.r.IntN(6)), Generation: c.number()},
		&openflow.SetAsync{AsyncMasks: masks}, &openflow.SetAsync{AsyncMasks: openflow.AsyncMasks{
			PacketIn: [2]uint32{7, 7}, PortStatus: [2]uint32{7, 7}, FlowRemoved: [2]uint32{15, 15}}}, &openflow.GetAsyncRequest{},
		&openflow.TableMod{Table: uint8(c.r.IntN(256)), Config: c.r.Uint32()},
		&openflow.QueueGetConfigRequest{Port: c.port()},
		&openflow.Experimenter{Experimenter: c.r.Uint32(), ExpType: c.r.Uint32(), Data: make([]byte, c.r.IntN(40))},
		&openflow.ErrorMsg{Code: openflow.ErrorCode(c.r.Uint32()), Data: make([]byte, c.r.IntN(80))},
		&openflow.Hello{}, &openflow.FlowRemoved{Cookie: c.number(), Table: uint8(c.r.IntN(4))},
		&openflow.PacketIn{Buffer: openflow.NoBuffer, InPort: c.port(), Data: make([]byte, 60)},
		&openflow.BarrierReply{},
	}
	filter := openflow.FlowFilter{Table: openflow.TableAll, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
	for _, body := range []openflow.RequestBody{&openflow.DescRequest{}, &openflow.FlowRequest{FlowFilter: filter},
		&openflow.AggregateRequest{FlowFilter: filter}, &openflow.TableRequest{},
		&openflow.PortStatsRequest{Port: openflow.PortAny}, &openflow.PortStatsRequest{Port: c.port()},
		&openflow.QueueRequest{Port: c.port(), Queue: c.r.Uint32()}, &openflow.GroupRequest{Group: openflow.GroupAll},
		&openflow.GroupDescRequest{}, &openflow.GroupFeaturesRequest{}, &openflow.MeterRequest{Meter: openflow.MeterAll},
		&openflow.MeterConfigRequest{Meter: openflow.MeterAll}, &openflow.MeterFeaturesRequest{},
		&openflow.TableFeaturesList{}, &openflow.PortDescRequest{},
		&openflow.FlowMonitorRequest{Monitors: []openflow.FlowMonitor{{Table: openflow.TableAll, OutPort: openflow.PortAny}}},
	} {
		list = append(list, &openflow.MultipartRequest{Body: body})
	}
	return list[c.r.IntN(len(list))]
}
