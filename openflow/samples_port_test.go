package openflow

// portSample is a port with every field different. Its bits are such as v has.
func portSample(v Version, number uint32, name string) Port {
	p := Port{
		Number: number, HWAddr: [6]byte{0x02, 0x11, 0x22, 0x33, 0x44, byte(number)}, Name: name,
		Config:     PortConfigDown | PortConfigNoFwd,
		State:      PortStateDown,
		Curr:       PortFeature10GbFD | PortFeatureFiber,
		Advertised: PortFeature1GbFD | PortFeatureCopper | PortFeatureAutoneg,
		Supported:  PortFeature100MbHD | PortFeature100MbFD | PortFeaturePause | PortFeaturePauseAsym,
		Peer:       PortFeature10MbHD | PortFeature10MbFD | PortFeature1GbHD | PortFeatureCopper,
	}
	if v == V10 {
		p.Config |= PortConfigNoFlood | PortConfigNoSTP
		p.State |= PortStateSTPForward
		return p
	}
	p.State |= PortStateLive
	p.Supported |= PortFeature40GbFD | PortFeature100GbFD | PortFeature1TbFD | PortFeatureOther
	p.CurrSpeed, p.MaxSpeed = 10_000_000, 40_000_000
	return p
}

func portSamples() []sample {
	all := both("port_status-add", func(v Version) Message {
		return &PortStatus{Reason: PortAdded, Port: portSample(v, 7, "s1-eth7")}
	})
	all = append(all, both("port_status-delete", func(v Version) Message {
		return &PortStatus{Reason: PortDeleted, Port: portSample(v, PortLocal, "br0")}
	})...)
	all = append(all, both("port_status-modify", func(v Version) Message {
		return &PortStatus{Reason: PortModified,
			Port: Port{Number: 3, HWAddr: [6]byte{2, 0, 0, 0, 0, 3}, Name: "sixteen-bytes-xy"}}
	})...)
	all = append(all, both("port_mod", func(v Version) Message {
		return &PortMod{
			Port: 9, HWAddr: [6]byte{0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f}, Config: PortConfigDown,
			Mask: PortConfigDown | PortConfigNoPacketIn, Advertise: PortFeature100MbFD | PortFeatureCopper,
		}
	})...)
	return append(all,
		sample{"1.0/features_reply", V10, &FeaturesReply{
			DatapathID: 0x0000a1b2c3d4e5f6, Buffers: 256, Tables: 254,
			Capabilities: CapabilityFlowStats | CapabilityPortStats | CapabilityARPMatchIP, Actions: 0xfff,
			Ports: []Port{portSample(V10, 1, "s1-eth1"), portSample(V10, 2, "s1-eth2"), portSample(V10, PortLocal, "s1")},
		}},
		sample{"1.0/features_reply-no-ports", V10, &FeaturesReply{DatapathID: 1, Tables: 1}},
		only13("features_reply", &FeaturesReply{
			DatapathID: 0x0000a1b2c3d4e5f6, Buffers: 256, Tables: 254, Auxiliary: 3,
			Capabilities: CapabilityFlowStats | CapabilityGroupStats | CapabilityPortBlocked,
		}),
		only13("multipart_request-port_desc", &MultipartRequest{Body: &PortDescRequest{}}),
		only13("multipart_reply-port_desc", &MultipartReply{Flags: MultipartMore, Body: &PortDescList{Ports: []Port{
			portSample(V13, 1, "s1-eth1"), portSample(V13, 2, "s1-eth2"), portSample(V13, PortLocal, "s1"),
		}}}),
		only13("multipart_reply-port_desc-none", &MultipartReply{Body: &PortDescList{}}),
	)
}
